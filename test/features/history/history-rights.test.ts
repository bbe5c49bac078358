/** What a caller sees of the history of an item. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { choice, owner, ref, resource, role, service, signedIn, text, where } from 'restwell'
import { account, as, users } from '../../access/sample.ts'
import { admin, type Reply, serve, type TestService } from '../../service.ts'

/** Articles with a secret for their author; only signed-in callers read histories. */
const articles = service({
  title: 'Articles',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users,
    articles: resource(
      {
        title: text(),
        status: choice(['draft', 'published']).default('draft'),
        secret: text().optional().visibleTo(owner('author'), role('admin')),
        author: ref('users', { onDelete: 'cascade' }).fromPrincipal(),
      },
      {
        access: {
          read: [where({ status: 'published' }), owner('author'), role('admin')],
          create: signedIn,
          update: [owner('author'), role('admin')],
          delete: [owner('author'), role('admin')],
        },
        history: { read: signedIn },
      },
    ),
  },
})

const linkOf = ({ fields }: Reply, rel: string) =>
  new RegExp(`<([^>]*)>; rel="?${rel}"?`).exec(String(fields.link))?.[1] ?? ''
const kindsOf = ({ json }: Reply) => json.map(({ kind }: { kind: string }) => kind)

describe('what a caller sees of a history', () => {
  /** An article of Ada: a draft, then published, with a secret that changes. */
  async function createArticle(s: TestService) {
    const [ada, bob] = [await account(s.request, 'ada'), await account(s.request, 'bob')]
    const made = await s.request('POST /articles', as(ada), { title: 'Draft', secret: 'one' })
    const uri = String(made.fields.location)
    await s.request(`PATCH ${uri}`, as(ada), { title: 'Title', status: 'published' })
    await s.request(`PATCH ${uri}`, as(ada), { secret: 'two' })
    await s.request(`PATCH ${uri}`, admin, { title: 'Better title' })
    return { uri, ada, bob }
  }

  test('are versions that it could read then and can read now, and fields likewise', async () => {
    await using s = await serve(articles)
    const { uri, ada, bob } = await createArticle(s)
    const own = await s.request(`GET ${uri}/history`, as(ada))
    assert.deepEqual(kindsOf(own), ['updated', 'updated', 'updated', 'created'])
    const seen = await s.request(`GET ${uri}/history`, as(bob))
    assert.deepEqual(
      seen.json.map(({ changes }: { changes: object }) => Object.keys(changes)),
      [['title'], ['title', 'status', 'author']],
    )
    assert.deepEqual(seen.json[1].changes.title, { to: 'Title' })
    assert.doesNotMatch(seen.text, /Draft|one|two/)
    const draft = own.json[3].version
    assert.equal((await s.request(`GET ${uri}/history/${draft}`, as(ada))).status, 200)
    assert.equal((await s.request(`GET ${uri}/history/${draft}`, as(bob))).status, 404)
    const former = await s.request(`GET ${uri}/history/${seen.json[1].version}`, as(bob))
    assert.deepEqual([former.json.title, former.json.secret], ['Title', undefined])
    assert.equal(linkOf(former, 'predecessor-version'), '')
    await s.request(`PATCH ${uri}`, as(ada), { status: 'draft' })
    assert.equal((await s.request(`GET ${uri}/history`, as(bob))).status, 404)
  })

  test('needs the rule of the history besides the right to read the item', async () => {
    await using s = await serve(articles)
    const { uri, bob } = await createArticle(s)
    assert.equal((await s.request(`GET ${uri}`)).status, 200)
    assert.equal((await s.request(`GET ${uri}/history`)).status, 401)
    assert.doesNotMatch((await s.request(`GET ${uri}/-/links`)).text, /version-history/)
    assert.match((await s.request(`GET ${uri}/-/links`, as(bob))).text, /version-history/)
  })

  test('names the account that made a version to callers who may read that account', async () => {
    await using s = await serve(articles)
    const { uri, ada } = await createArticle(s)
    const { json } = await s.request(`GET ${uri}/history`, admin)
    assert.equal(json[3].by, ada.id)
    assert.notEqual(json[0].by, ada.id)
  })
})
