/** `?explain-access=LOGIN`: administrators learn which rule allows or denies an account what. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  action,
  anyone,
  caller,
  choice,
  email,
  exists,
  its,
  not,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  state,
  text,
  where,
} from '../../src/index.ts'
import { admin, basic, type Reply, serve, type TestService } from '../service.ts'

const tracker = service(
  {
    title: 'Tracker',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
    resources: {
      users: resource(
        {
          email: email().unique(),
          password: password(),
          role: choice(['admin', 'editor', 'member']).default('member').writableBy(role('admin')),
          hidden: text().default('no'),
        },
        { access: { read: [where({ hidden: 'no' }), self], create: anyone, update: self } },
      ),
      memberships: resource(
        { user: ref('users', { onDelete: 'cascade' }), team: text(), hidden: text().default('yes') },
        { access: { create: anyone, read: where({ hidden: 'no' }) } },
      ),
      tasks: resource(
        {
          title: text(),
          team: text().optional(),
          wage: text().optional().visibleTo(role('editor')).writableBy(role('admin', 'editor')),
          note: text().optional().visibleTo(role('admin')),
          author: ref('users').fromPrincipal(),
          status: state({
            initial: 'open',
            states: ['open', 'closed'],
            transitions: { close: { from: 'open', to: 'closed', by: owner('author') } },
          }),
        },
        {
          access: {
            read: [
              owner('author'),
              exists('memberships', { user: caller, team: its('team') }),
              role('admin'),
            ],
            create: signedIn,
            update: [owner('author'), role('admin')],
          },
          history: { read: not(role('member')) },
        },
      ),
      vaults: resource({ text: text() }, { access: { create: anyone, read: role('editor') } }),
    },
  },
  {
    tasks: {
      actions: {
        assign: action({ by: role('editor'), run: (task, _input, { tasks }) => tasks.patch(task.id, {}) }),
      },
    },
  },
)

const as = (login: string) => basic(`${login}@example.org`, 'correct horse battery')

async function start(): Promise<TestService & { readonly task: string }> {
  const s = await serve(tracker)
  for (const login of ['ada', 'bob', 'eve']) {
    const hidden = login === 'eve' ? { hidden: 'yes' } : {}
    const user = { email: `${login}@example.org`, password: 'correct horse battery', ...hidden }
    assert.equal((await s.request('POST /users', {}, user)).status, 201)
  }
  const created = await s.request('POST /tasks', as('ada'), { title: 'A', team: 'red' })
  assert.equal(created.status, 201, created.text)
  return { ...s, task: String(created.fields.location) }
}

const explain = ({ request, task }: Awaited<ReturnType<typeof start>>, login: string, more = '') =>
  request(`GET ${task}?explain-access=${login}@example.org${more}`, admin)

const find = ({ json }: Reply, operation: string, name?: string) =>
  json.find((one: Readonly<Record<string, unknown>>) => one.operation === operation && one.name === name)

describe('GET /{collection}/{id}?explain-access=LOGIN', () => {
  test('names the rules that allow, and those that deny', async () => {
    await using s = await start()
    const ada = await explain(s, 'ada')
    assert.equal(ada.status, 200, ada.text)
    assert.equal(ada.fields['cache-control'], 'no-store')
    assert.equal(ada.fields.etag, undefined)
    assert.deepEqual(find(ada, 'read'), {
      operation: 'read',
      allowed: true,
      rule: "the account in author; or anyone for whom memberships has an item where user is the caller and team is this item's team; or the role admin",
      because: 'The rule holds: the account in author.',
    })
    assert.equal(find(ada, 'transition', 'close').allowed, true)
    assert.equal(find(ada, 'delete').because, 'No rule allows it.')
    assert.equal(find(ada, 'history').allowed, false)
    assert.equal(find(ada, 'action', 'assign').because, 'No rule holds: the role editor.')
    assert.equal(find(ada, 'set', 'wage'), undefined, 'the administrator does not see the field')
    assert.equal(find(ada, 'see', 'note').because, 'No rule holds: the role admin.')
    const bob = await explain(s, 'bob')
    assert.equal(find(bob, 'read').allowed, false)
    assert.match(find(bob, 'read').because, /^No rule holds: the account in author; anyone for whom /)
    assert.match(find(bob, 'see', 'note').because, /^The account lacks the right to read\. /)
  })

  test('agrees with the responses that the account gets, also through records of others', async () => {
    await using s = await start()
    assert.equal((await s.request(`GET ${s.task}`, as('bob'))).status, 404)
    const [bob] = (await s.request('GET /users?email=bob@example.org', admin)).json
    await s.request('POST /memberships', {}, { user: bob.id, team: 'red' })
    assert.equal((await s.request(`GET ${s.task}`, as('bob'))).status, 200)
    const reply = await explain(s, 'bob')
    assert.equal(find(reply, 'read').allowed, true)
    assert.match(find(reply, 'read').because, /^The rule holds: anyone for whom memberships has an item/)
    assert.doesNotMatch(reply.text, new RegExp(bob.id), 'the membership and its values are not named')
    const open = { user: bob.id, team: 'red', hidden: 'no' }
    const { location } = (await s.request('POST /memberships', {}, open)).fields
    const named = find(await explain(s, 'bob'), 'read').because
    assert.ok(
      named.endsWith(` (${location}).`),
      `a membership that the administrator may read is named: ${named}`,
    )
    assert.equal(find(reply, 'update').allowed, false)
    assert.equal((await s.request(`PATCH ${s.task}`, as('bob'), { title: 'B' })).status, 403)
  })

  test('is an unknown parameter for others, in the bytes of any unknown parameter', async () => {
    await using s = await start()
    const neutral = (reply: Reply, name: string) =>
      reply.text.replaceAll(name, 'NAME').replace(/"instance":"[^"]*"/, '')
    for (const fields of [as('ada'), as('bob')]) {
      const reply = await s.request(`GET ${s.task}?explain-access=ada@example.org`, fields)
      const usual = await s.request(`GET ${s.task}?explain-nothin=ada@example.org`, fields)
      assert.equal(reply.status, 400)
      assert.equal(reply.json.type, '/problems/unknown-parameter')
      assert.equal(neutral(reply, 'explain-access'), neutral(usual, 'explain-nothin'))
    }
    const elsewhere = await s.request('GET /tasks?explain-access=ada@example.org', admin)
    assert.equal(elsewhere.status, 400)
    const write = await s.request(`PATCH ${s.task}?explain-access=ada@example.org`, admin, { title: 'B' })
    assert.equal(write.json.type, '/problems/unknown-parameter')
  })

  test('needs the scope audit:read of a token', async () => {
    await using s = await start()
    const tokenWith = async (scopes: readonly string[]) => {
      const { json } = await s.request('POST /tokens', admin, { scopes })
      return { authorization: `Bearer ${json.token}` }
    }
    const target = `GET ${s.task}?explain-access=ada@example.org`
    assert.equal((await s.request(target, await tokenWith(['tasks:read']))).status, 400)
    const both = await tokenWith(['tasks:read', 'audit:read', 'users:read'])
    assert.equal((await s.request(target, both)).status, 200)
  })

  test('refuses accounts and items that the administrator cannot read like absent ones', async () => {
    await using s = await start()
    const [hidden, absent] = [await explain(s, 'eve'), await explain(s, 'nil')]
    const neutral = ({ text: body }: Reply) => body.replace(/"instance":"[^"]*"/, '')
    assert.equal(hidden.json.type, '/problems/invalid-parameter')
    assert.equal(neutral(hidden), neutral(absent))
    assert.equal((await s.request(`GET ${s.task}?explain-access=`, admin)).status, 400)
    assert.equal((await s.request(`GET ${s.task}x?explain-access=ada@example.org`, admin)).status, 404)
    const vault = await s.request('POST /vaults', {}, { text: 'x' })
    const kept = await s.request(`GET ${vault.fields.location}?explain-access=ada@example.org`, admin)
    assert.equal(kept.status, 403)
    const twice = `GET ${s.task}?explain-access=ada@example.org&explain-access=bob@example.org`
    assert.equal((await s.request(twice, admin)).status, 400)
  })

  test('is recorded in the audit, and in no history or feed', async () => {
    await using s = await start()
    const before = (await s.request('GET /events', admin)).json.length
    await explain(s, 'bob')
    const { json } = await s.request('GET /audit?kind=access-explained', admin)
    const places = json.map(({ collection }: { collection: string }) => collection)
    assert.deepEqual(places.sort(), ['tasks', 'users'])
    assert.ok(json.every(({ actor }: { actor?: string }) => actor !== undefined))
    assert.equal((await s.request('GET /events', admin)).json.length, before)
    assert.equal((await s.request(`GET ${s.task}/history`, admin)).json.length, 1)
  })

  test('has every format of documents, and is found by link and by form', async () => {
    await using s = await start()
    const types = {
      json: /^application\/json/,
      hal: /^application\/hal\+json/,
      xml: /^application\/xml/,
      csv: /^text\/csv/,
      ndjson: /^application\/x-ndjson/,
      html: /^text\/html/,
    }
    for (const [name, type] of Object.entries(types)) {
      const reply = await explain(s, 'ada', `&format=${name}`)
      assert.equal(reply.status, 200, name)
      assert.match(String(reply.fields['content-type']), type)
      assert.match(reply.text, /the account in author/)
    }
    const head = await s.request(`HEAD ${s.task}?explain-access=ada@example.org`, admin)
    assert.equal(head.status, 200)
    const home = await s.request('GET /?format=hal', admin)
    assert.match(home.text, /\{\?explain%2Daccess\}/)
    assert.doesNotMatch((await s.request('GET /?format=hal', as('ada'))).text, /explain/)
    const page = (fields: Record<string, string>) => s.request(`GET ${s.task}?format=html`, fields)
    assert.match((await page(admin)).text, /name="explain-access"/)
    assert.doesNotMatch((await page(as('ada'))).text, /explain-access/)
    const described = await s.request('GET /openapi.json', admin)
    assert.match(described.json.info.description, /explain-access=LOGIN/)
    assert.doesNotMatch((await s.request('GET /openapi.json', as('ada'))).text, /explain-access/)
  })
})

test('a path with a variable part in braces names no document', async () => {
  await using s = await start()
  for (const path of ['/%7B%7D/%7B%7D/history', '/%7B%7D/%7B%7D%3Fexplain-access', '/problems/%7B%7D']) {
    assert.equal((await s.request(`GET ${path}`, admin)).status, 404, path)
  }
})
