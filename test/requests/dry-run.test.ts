/** `dry-run=true`: the response that the write would get, and nothing is changed. */

import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  owner,
  password,
  ref,
  refs,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'
import { always } from '../../src/store/condition.ts'
import { byOtherLogic, tracker } from '../features/logic/every-way-service.ts'
import { waysToWrite } from '../features/logic/ways-to-write.ts'
import { admin, type Reply, type SendRequest, serve, type TestService } from '../service.ts'

/** The request as a dry run. Reads are sent as they are. */
function asDryRun(request: SendRequest): SendRequest {
  return (line, fields, body) => {
    if (line.startsWith('GET ')) return request(line, fields, body)
    return request(`${line}${line.includes('?') ? '&' : '?'}dry-run=true`, fields, body)
  }
}

/** All rows of all collections, and the number of changes. */
async function stateOf({ service }: TestService): Promise<string> {
  const { store, model } = service
  const order = [{ column: '_identity', descending: false }]
  const tables = [...model.resources.keys()].map((table) =>
    store.list({ table, condition: always, order, after: undefined, limit: 100, evaluated: [] }),
  )
  return JSON.stringify([await Promise.all(tables), await store.readChanges(0, 1000)])
}

/** The content without the ids and times that differ in each run. */
function masked({ text }: Reply): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, 'ID')
    .replaceAll(/\d{4}-\d\d-\d\dT[0-9:.]+Z/g, 'TIME')
}

async function seedTracker(s: TestService): Promise<string> {
  const { json: project } = await s.request('POST /projects', {}, { name: 'p' })
  const seed = { code: 'SEED', title: 's', start: '2026-02-01', due: '2026-02-10', project: project.id }
  return String((await s.request('POST /tasks', {}, seed)).fields.location)
}

describe('a dry run has the content of the real write, and changes nothing', () => {
  for (const { title, write } of [...waysToWrite, byOtherLogic]) {
    it(title, async () => {
      await using s = await serve(tracker().definition)
      const seed = await seedTracker(s)
      const before = await stateOf(s)
      const refused = await write(asDryRun(s.request), '2026-01-01', seed)
      assert.deepEqual([refused.status, refused.json.detail], [409, 'Too early.'])
      const tried = await write(asDryRun(s.request), '2026-03-01', seed)
      assert.equal(tried.status, 200, tried.text)
      for (const name of ['location', 'content-location', 'etag', 'last-modified']) {
        assert.equal(tried.fields[name], undefined, name)
      }
      assert.equal(tried.fields['cache-control'], 'no-store')
      assert.equal(await stateOf(s), before)
      const written = await write(s.request, '2026-03-01', seed)
      // A form of an HTML page is followed by a redirect.
      if (written.status !== 303) assert.equal(masked(tried), masked(written))
    })
  }

  it('DELETE', async () => {
    await using s = await serve(tracker().definition)
    const seed = await seedTracker(s)
    const before = await stateOf(s)
    const { status, text, fields } = await s.request(`DELETE ${seed}?dry-run=true`)
    assert.deepEqual([status, text, fields['cache-control']], [204, '', 'no-store'])
    assert.equal(await stateOf(s), before)
  })
})

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const library = service({
  title: 'Library',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'reader']).writableBy(role('admin')),
      },
      { access: { read: role('admin'), create: role('admin') } },
    ),
    authors: resource({ name: text().unique() }, { access }),
    tags: resource({ name: text() }, { access }),
    books: resource(
      {
        title: text({ max: 10 }),
        author: ref('authors', { onDelete: 'restrict' }).optional(),
        tags: refs('tags'),
      },
      { access, conditional: 'required' },
    ),
    diaries: resource(
      { text: text(), author: ref('users').fromPrincipal() },
      { access: { read: owner('author') } },
    ),
  },
})

describe('a dry run is refused as the real write would be', () => {
  const refusals: readonly (readonly [
    string,
    string,
    number,
    (object | undefined)?,
    Record<string, string>?,
  ])[] = [
    ['invalid content', 'POST /books', 422, { title: 'much too long a title' }],
    ['malformed content', 'POST /books', 400, undefined],
    [
      'a missing reference',
      'POST /books',
      422,
      { title: 'a', author: '01a1e897-1555-798b-9868-9195cc8e0e5f' },
    ],
    ['a duplicate', 'POST /authors', 409, { name: 'Ada' }],
    ['a missing right', 'POST /diaries', 401, { text: 'a' }],
    ['an absent item', 'DELETE /authors/01a1e897-1555-798b-9868-9195cc8e0e5f', 404],
    ['a missing precondition', 'PATCH {book}', 428, { title: 'b' }],
    ['a failed precondition', 'PATCH {book}', 412, { title: 'b' }, { 'if-match': '"other"' }],
    ['an item that others refer to', 'DELETE {author}', 409],
    ['a malformed Idempotency-Key', 'POST /authors', 400, { name: 'b' }, { 'idempotency-key': '"' }],
  ]
  for (const [title, line, status, body, fields = {}] of refusals) {
    it(title, async () => {
      await using s = await serve(library)
      const author = await s.request('POST /authors', {}, { name: 'Ada' })
      const book = await s.request('POST /books', {}, { title: 'a', author: author.json.id })
      const target = line
        .replace('{book}', String(book.fields.location))
        .replace('{author}', String(author.fields.location))
      const before = await stateOf(s)
      const tried = await asDryRun(s.request)(target, fields, body)
      assert.equal(tried.status, status, tried.text)
      assert.equal(await stateOf(s), before)
      const real = await s.request(target, fields, body)
      assert.equal(masked(tried), masked(real))
    })
  }
})

test('a dry run leaves no response under its Idempotency-Key, and returns none', async () => {
  await using s = await serve(library)
  const key = { 'idempotency-key': '"a"' }
  const send = (query: string) => s.request(`POST /authors${query}`, key, { name: 'Ada' })
  assert.equal((await send('?dry-run=true')).status, 200)
  assert.equal((await send('')).status, 201)
  // The dry run is not the same request: it would be a duplicate now.
  assert.equal((await send('?dry-run=true')).status, 409)
  assert.equal((await send('')).status, 201)
})

test('a dry run of an element of a set, of an account, and of a token changes nothing', async () => {
  await using s = await serve(library)
  const { json: tag } = await s.request('POST /tags', {}, { name: 'new' })
  const book = await s.request('POST /books', {}, { title: 'a' })
  const before = await stateOf(s)
  const match = { 'if-match': String(book.fields.etag) }
  const element = await s.request(`PUT ${book.fields.location}/tags/${tag.id}?dry-run=true`, match)
  assert.equal(element.status, 204, element.text)
  const account = { email: 'b@example.org', password: 'correct horse battery', role: 'reader' }
  const user = await s.request('POST /users?dry-run=true', admin, account)
  assert.deepEqual([user.status, user.json.email], [200, account.email], user.text)
  const token = await s.request('POST /tokens?dry-run=true', admin, { name: 'ci' })
  assert.equal(token.status, 200, token.text)
  assert.deepEqual([token.json.name, token.json.token], ['ci', undefined])
  const hook = { url: 'https://example.org/hook', events: ['books.*'] }
  const webhook = await s.request('POST /webhooks?dry-run=true', admin, hook)
  assert.deepEqual([webhook.status, webhook.json.url, webhook.json.secret], [200, hook.url, undefined])
  assert.equal(await stateOf(s), before)
})

test('the parameter is known for writes only, and its value is true', async () => {
  await using s = await serve(library)
  const refused = async (line: string, body?: object) => {
    const { status, json } = await s.request(line, {}, body)
    return [status, json.parameter]
  }
  assert.deepEqual(await refused('GET /authors?dry-run=true'), [400, 'dry-run'])
  assert.deepEqual(await refused('POST /authors?dry-run=false', { name: 'a' }), [400, 'dry-run'])
  assert.deepEqual(await refused('POST /authors?dry-run=', { name: 'a' }), [400, 'dry-run'])
  assert.deepEqual(await refused('POST /authors?dry-run=true&dry-run=true', { name: 'a' }), [400, 'dry-run'])
  assert.deepEqual(await refused('POST /authors?dryrun=true', { name: 'a' }), [400, 'dryrun'])
  assert.equal((await s.request('GET /authors')).json.length, 0)
})

test('a form of an HTML page refuses a parameter that it does not know', async () => {
  await using s = await serve(tracker().definition)
  const seed = await seedTracker(s)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status } = await s.request(`POST /forms${seed}?method=PATCH&dryrun=true`, form, 'title=b')
  assert.equal(status, 400)
  assert.equal((await s.request(`GET ${seed}`)).json.title, 's')
})

test('a conditional POST may be a dry run', async () => {
  await using s = await serve(library)
  const { fields } = await s.request('GET /authors')
  const match = { 'if-match': String(fields.etag) }
  assert.equal((await s.request('POST /authors?dry-run=true', match, { name: 'a' })).status, 200)
  assert.equal((await s.request('POST /authors', match, { name: 'a' })).status, 201)
  assert.equal((await s.request('POST /authors?dry-run=true', match, { name: 'b' })).status, 412)
})

test('a dry run queues no after hook and no message', async () => {
  let runs = 0
  const notes = resource({ text: text() }, { access })
  const definition = service(
    { title: 'Notes', resources: { notes } },
    {
      notes: {
        after: {
          async created() {
            runs += 1
          },
        },
      },
    },
  )
  await using s = await serve(definition)
  assert.equal((await s.request('POST /notes?dry-run=true', {}, { text: 'a' })).status, 200)
  await s.service.settled()
  assert.equal(runs, 0)
  await s.request('POST /notes', {}, { text: 'a' })
  await s.service.settled()
  assert.equal(runs, 1)
})
