/** The order of decisions (docs/reference/http.md): of two faults, the response reports the one that is decided first. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  email,
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
} from 'restwell'
import { RawClient } from '../server/raw.ts'
import { admin, basic, type Reply, serve, type TestService } from '../service.ts'

const definition = service({
  title: 'Order',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: anyone, create: anyone, update: self } },
    ),
    notes: resource(
      {
        slug: text().unique(),
        kind: choice(['public', 'private']).default('public'),
        author: ref('users').fromPrincipal(),
        status: state({
          initial: 'draft',
          transitions: {
            publish: { from: 'draft', to: 'published' },
            withdraw: { from: 'draft', to: 'withdrawn', by: role('admin') },
            restore: { from: 'withdrawn', to: 'draft' },
          },
        }),
      },
      {
        formerly: ['memos'],
        tombstones: true,
        access: {
          read: anyone,
          create: signedIn,
          update: owner('author'),
          delete: owner('author'),
        },
      },
    ),
    strict: resource(
      { slug: text() },
      {
        conditional: 'required',
        access: { read: anyone, create: anyone, update: anyone, delete: anyone },
      },
    ),
    secrets: resource({ slug: text() }, { access: { read: role('admin'), create: role('admin') } }),
    handed: resource(
      { slug: text().unique(), holder: ref('users') },
      { access: { read: anyone, create: anyone, update: owner('holder') } },
    ),
  },
})

const ada = { email: 'ada@example.org', password: 'analytical' }
const asAda = basic(ada.email, ada.password)
const bob = { email: 'bob@example.org', password: 'bob builds' }
const asBob = basic(bob.email, bob.password)
const invalid = basic('nobody@example.org', 'wrong')

const asJson = { 'content-type': 'application/json' }
const png = { accept: 'image/png' }
const plain = { 'content-type': 'text/plain' }
const chunked = { ...asJson, 'transfer-encoding': 'chunked' }
const stale = { 'if-match': '"stale"' }
const absentId = '019a0000-0000-7000-8000-000000000000'
const long = 'x'.repeat(101)

async function start() {
  const s = await serve(definition, { limits: { content: 100 } })
  const adaUri = (await s.request('POST /users', {}, ada)).fields.location as string
  await s.request('POST /users', {}, bob)
  const note = (await s.request('POST /notes', asAda, { slug: 'a' })).fields.location as string
  return { s, adaUri, note }
}

/** Checks the status, and that this decision refused. */
function decidedBy({ observations }: TestService, response: Reply, status: number, decision: string) {
  assert.equal(response.status, status, response.text)
  const last = observations.findLast((observation) => observation.kind === 'request')
  assert.equal(last?.decision, decision)
}

describe('from the request line', () => {
  test('501 unknown method, before 414', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request(`FOO /${'x'.repeat(9000)}`)).status, 501)
  })

  test('414, before 400 malformed target', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request(`GET /%zz${'x'.repeat(9000)}`)).status, 414)
  })

  test('400 malformed target, before 301 trailing slash', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /notes/?slug=%zz'), 400, 'resolveTarget')
  })

  test('301 former name, before 404 of the item, 405 and 401', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request(`GET /memos/${absentId}`)).status, 301)
    assert.equal((await s.request('DELETE /memos')).status, 301)
    assert.equal((await s.request('GET /memos', invalid)).status, 301)
  })

  test('301 trailing slash, before 404 of the item and 401', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request(`GET /notes/${absentId}/`)).status, 301)
    assert.equal((await s.request('GET /secrets/', invalid)).status, 301)
  })

  test('404 unknown path, before 405', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('DELETE /nothing'), 404, 'resolveTarget')
    decidedBy(s, await s.request('PROPFIND /nothing'), 404, 'resolveTarget')
  })

  test('405, before 401', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('DELETE /secrets', invalid), 405, 'requireAllowedMethod')
  })

  test('OPTIONS responds before 401', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request('OPTIONS /secrets', invalid)).status, 204)
  })
})

describe('from credentials and header fields', () => {
  test('401 invalid credentials, before 403 and 406', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /secrets', { ...invalid, ...png }), 401, 'authenticate')
  })

  test('401 without credentials, before 406', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /secrets', png), 401, 'requirePermission')
  })

  test('403, before 406', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /secrets', { ...asAda, ...png }), 403, 'requirePermission')
  })

  test('406, before 400 query', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /notes?nonsense=1', png), 406, 'negotiateFormat')
  })

  test('400 query, before 415 and 413', async () => {
    const { s } = await start()
    await using _ = s
    const fields = { ...asAda, ...plain }
    decidedBy(s, await s.request('POST /notes?nonsense=1', fields, long), 400, 'parseQuery')
  })

  test('415, before 413', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(
      s,
      await s.request('POST /notes', { ...asAda, ...plain }, long),
      415,
      'requireAcceptableContent',
    )
  })

  test('415 and 413 from header fields, before 404 absent', async () => {
    const { s } = await start()
    await using _ = s
    const line = `PUT /notes/${absentId}`
    decidedBy(s, await s.request(line, { ...asAda, ...plain }, 'x'), 415, 'requireAcceptableContent')
    decidedBy(s, await s.request(line, { ...asAda, ...asJson }, long), 413, 'requireAcceptableContent')
  })
})

describe('from the record', () => {
  test('404 absent, before 412 and 428', async () => {
    const { s } = await start()
    await using _ = s
    const fields = { ...asAda, ...stale }
    decidedBy(s, await s.request(`DELETE /notes/${absentId}`, fields), 404, 'requireItemAccess')
    decidedBy(s, await s.request(`GET /notes/${absentId}`, stale), 404, 'requireItemAccess')
    decidedBy(s, await s.request(`DELETE /strict/${absentId}`), 404, 'requireItemAccess')
  })

  test('404 absent, before 400 content, missing content included', async () => {
    const { s } = await start()
    await using _ = s
    const fields = { ...asAda, ...asJson }
    decidedBy(s, await s.request(`PUT /notes/${absentId}`, fields, '{'), 404, 'requireItemAccess')
    decidedBy(s, await s.request(`PATCH /notes/${absentId}`, fields), 404, 'requireItemAccess')
  })

  test('410, before 412', async () => {
    const { s, note } = await start()
    await using _ = s
    await s.request(`DELETE ${note}`, asAda)
    decidedBy(s, await s.request(`DELETE ${note}`, { ...asAda, ...stale }), 410, 'requireItemAccess')
  })

  test('403 on the record, before 412 and 400 content', async () => {
    const { s, note } = await start()
    await using _ = s
    const fields = { ...asBob, ...stale, ...asJson }
    decidedBy(s, await s.request(`PATCH ${note}`, fields, '{'), 403, 'requireItemAccess')
  })

  test('412, before 413 while reading and 400 content, missing content included', async () => {
    const { s, note } = await start()
    await using _ = s
    const fields = { ...asAda, ...stale }
    decidedBy(s, await s.request(`PATCH ${note}`, { ...fields, ...chunked }, long), 412, 'checkPreconditions')
    decidedBy(s, await s.request(`PATCH ${note}`, { ...fields, ...asJson }, '{'), 412, 'checkPreconditions')
    decidedBy(s, await s.request(`PATCH ${note}`, fields), 412, 'checkPreconditions')
  })

  test('428, before 400 content', async () => {
    const { s } = await start()
    await using _ = s
    const { location } = (await s.request('POST /strict', {}, { slug: 'a' })).fields
    decidedBy(s, await s.request(`PUT ${location}`, asJson, '{'), 428, 'checkPreconditions')
  })
})

describe('from the content', () => {
  test('413 while reading, before 400', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('POST /notes', { ...asAda, ...chunked }, long), 413, 'performMethod')
  })

  test('400, before 422', async () => {
    const { s } = await start()
    await using _ = s
    const fields = { ...asAda, ...asJson }
    decidedBy(s, await s.request('POST /notes', fields, '{"nonsense":1,"nonsense":2}'), 400, 'performMethod')
  })

  test('422, before 403 on the result', async () => {
    const { s, adaUri } = await start()
    await using _ = s
    const holder = adaUri.split('/').at(-1)
    const created = await s.request('POST /handed', {}, { slug: 'a', holder })
    const { id } = (await s.request('GET /users')).json.find(
      (user: Reply['json']) => user.email === bob.email,
    )
    const line = `PATCH ${created.fields.location}`
    assert.equal((await s.request(line, asAda, { holder: id, slug: 1 })).status, 422)
    assert.equal((await s.request(line, asAda, { holder: id })).status, 403)
  })

  test('422, before 403 and 409 of a transition', async () => {
    const { s, note } = await start()
    await using _ = s
    assert.equal((await s.request(`PATCH ${note}`, asAda, { status: 'withdrawn', slug: 1 })).status, 422)
    await s.request(`PATCH ${note}`, asAda, { status: 'published' })
    assert.equal((await s.request(`PATCH ${note}`, asAda, { status: 'draft', slug: 1 })).status, 422)
  })

  test('422, before 409 duplicate', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request('POST /notes', asAda, { slug: 'a', kind: 'x' })).status, 422)
  })

  test('403 on the result, before 409 duplicate', async () => {
    const { s, adaUri } = await start()
    await using _ = s
    const holder = adaUri.split('/').at(-1)
    await s.request('POST /handed', {}, { slug: 'taken', holder })
    const created = await s.request('POST /handed', {}, { slug: 'mine', holder })
    const { id } = (await s.request('GET /users')).json.find(
      (user: Reply['json']) => user.email === bob.email,
    )
    const line = `PATCH ${created.fields.location}`
    assert.equal((await s.request(line, asAda, { slug: 'taken' })).status, 409)
    assert.equal((await s.request(line, asAda, { slug: 'taken', holder: id })).status, 403)
  })

  test('403 of a transition, before 409 duplicate', async () => {
    const { s, note } = await start()
    await using _ = s
    await s.request('POST /notes', asAda, { slug: 'taken' })
    const body = { status: 'withdrawn', slug: 'taken' }
    assert.equal((await s.request(`PATCH ${note}`, asAda, body)).status, 403)
  })
})

describe('content is not requested before it is needed (RFC 9110 §10.1.1)', () => {
  test('with Expect: 100-continue each refusal from header fields is sent instead of 100', async () => {
    const { s, note } = await start()
    await using _ = s
    const { location: strict } = (await s.request('POST /strict', {}, { slug: 'a' })).fields
    const type = 'Content-Type: application/json\r\n'
    const credentials = (who: { authorization: string }) => `Authorization: ${who.authorization}\r\n`
    const cases: [line: string, fields: string, status: number][] = [
      ['POST /nothing', type, 404],
      ['PUT /notes', type, 405],
      ['POST /notes', type, 401],
      ['POST /secrets', type + credentials(asAda), 403],
      ['POST /notes', `${type}${credentials(asAda)}Accept: image/png\r\n`, 406],
      ['POST /notes?nonsense', type + credentials(asAda), 400],
      ['POST /notes', credentials(asAda), 415],
      [`PATCH /notes/${absentId}`, type + credentials(asAda), 404],
      [`PATCH ${note}`, type + credentials(asBob), 403],
      [`PATCH ${note}`, `${type}${credentials(asAda)}If-Match: "stale"\r\n`, 412],
      [`PATCH ${strict}`, type, 428],
      ['POST /notes', type + credentials(asAda), 100],
      [`PATCH ${note}`, type + credentials(asAda), 100],
    ]
    for (const [line, fields, status] of cases) {
      const client = new RawClient(s.port)
      const head = `${line} HTTP/1.1\r\nHost: h\r\n${fields}Expect: 100-continue\r\n`
      await client.send(`${head}Content-Length: 20\r\n\r\n`)
      const [response] = await client.take(1)
      client.socket.destroy()
      assert.equal(response?.status, status, line)
    }
  })

  test('nor is anything changed by a request that is refused', async () => {
    const { s, note } = await start()
    await using _ = s
    const changes = async () => {
      const entries = await s.service.store.readChanges(0, 1000)
      return entries
        .filter(({ table }) => s.service.model.resources.has(table))
        .map(({ table, kind }) => `${table} ${kind}`)
    }
    const before = await changes()
    const good = { slug: 'b' }
    await s.request(`PATCH ${note}`, asBob, good)
    await s.request(`PATCH ${note}`, { ...asAda, ...stale }, good)
    await s.request(`PATCH ${note}`, { ...asAda, ...png }, good)
    await s.request(`PATCH ${note}?x=1`, asAda, good)
    await s.request(`PATCH ${note}`, invalid, good)
    await s.request(`DELETE ${note}`, { ...asAda, ...stale })
    await s.request('POST /secrets', asAda, good)
    assert.deepEqual(await changes(), before)
    assert.equal((await s.request(`GET ${note}`, admin)).json.slug, 'a')
  })
})
