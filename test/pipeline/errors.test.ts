/** Errors: every one is a problem of the same shape (RFC 9457) that reveals no internals. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  nobody,
  password,
  ref,
  resource,
  role,
  self,
  service,
  state,
  text,
} from 'restwell'
import { problemTypes } from '../../src/refusal.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { RawClient } from '../server/raw.ts'
import { basic, type Reply, serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Errors',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: anyone, create: anyone } },
    ),
    notes: resource(
      {
        slug: text().unique(),
        status: state({ initial: 'new', transitions: { end: { from: 'new', to: 'old' } } }),
        next: ref('notes').optional(),
      },
      { tombstones: true, access: open },
    ),
    strict: resource({ slug: text() }, { conditional: 'required', access: open }),
    closed: resource({ slug: text() }, { access: { read: nobody } }),
  },
})

const ada = { email: 'ada@example.org', password: 'analytical' }
const asAda = basic(ada.email, ada.password)
const asJson = { 'content-type': 'application/json' }
const absentId = '019a0000-0000-7000-8000-000000000000'

async function start() {
  const s = await serve(definition, { limits: { content: 1000 } })
  await s.request('POST /users', {}, ada)
  const note = await s.request('POST /notes', {}, { slug: 'a' })
  const referenced = await s.request('POST /notes', {}, { slug: 'b' })
  await s.request('POST /notes', {}, { slug: 'c', next: referenced.json.id })
  const deleted = await s.request('POST /notes', {}, { slug: 'd' })
  await s.request(`DELETE ${deleted.fields.location}`)
  const strict = await s.request('POST /strict', {}, { slug: 'a' })
  const at = ({ fields }: Reply) => fields.location as string
  return { s, note: at(note), referenced: at(referenced), deleted: at(deleted), strict: at(strict) }
}

type Exchange = readonly [type: string, status: number, cacheControl: string, reply: Reply]

/** One exchange for each kind of error that a client library can provoke. */
async function everyError(): Promise<{ s: TestService; exchanges: readonly Exchange[] }> {
  const { s, note, referenced, deleted, strict } = await start()
  const { request } = s
  const stale = { 'if-match': '"stale"' }
  const exchanges: Exchange[] = [
    ['malformed-request', 400, 'no-cache', await request('GET /notes/%zz')],
    ['malformed-content', 400, 'no-cache', await request('POST /notes', asJson, '{')],
    ['unknown-parameter', 400, 'no-cache', await request('GET /notes?nonsense=1')],
    ['invalid-parameter', 400, 'no-cache', await request('GET /notes?limit=0')],
    ['invalid-cursor', 400, 'no-cache', await request('GET /notes?after=nonsense')],
    ['unauthenticated', 401, 'no-store', await request('GET /closed')],
    ['unauthenticated', 401, 'no-store', await request('GET /notes', basic('x@example.org', 'x'))],
    ['forbidden', 403, 'no-store', await request('GET /closed', asAda)],
    ['not-found', 404, 'no-cache', await request('GET /nothing')],
    ['not-found', 404, 'no-cache', await request(`GET /notes/${absentId}`)],
    ['not-found', 404, 'no-cache', await request('GET /problems/nonsense')],
    ['not-found', 404, 'no-cache', await request('POST /notes/')],
    ['method-not-allowed', 405, 'no-cache', await request('DELETE /notes')],
    ['not-acceptable', 406, 'no-cache', await request('GET /notes', { accept: 'image/png' })],
    ['duplicate', 409, 'no-cache', await request('POST /notes', {}, { slug: 'a' })],
    ['referenced', 409, 'no-cache', await request(`DELETE ${referenced}`)],
    ['gone', 410, 'no-cache', await request(`GET ${deleted}`)],
    ['precondition-failed', 412, 'no-cache', await request(`DELETE ${note}`, stale)],
    ['content-too-large', 413, 'no-cache', await request('POST /notes', asJson, ' '.repeat(1001))],
    ['uri-too-long', 414, 'no-cache', await request(`GET /${'x'.repeat(8192)}`)],
    ['unsupported-media-type', 415, 'no-cache', await request('POST /notes', {}, 'x')],
    [
      'unsupported-content-coding',
      415,
      'no-cache',
      await request('POST /notes', { ...asJson, 'content-encoding': 'nonsense' }, 'x'),
    ],
    ['expectation-failed', 417, 'no-cache', await request('GET /notes', { expect: 'nonsense' })],
    ['invalid-content', 422, 'no-cache', await request('POST /notes', {}, {})],
    ['precondition-required', 428, 'no-store', await request(`DELETE ${strict}`)],
    [
      'header-fields-too-large',
      431,
      'no-store',
      await request('GET /notes', { 'x-long': 'x'.repeat(17_000) }),
    ],
    ['not-implemented', 501, 'no-store', await request('FOO /notes')],
  ]
  await request(`PATCH ${note}`, {}, { status: 'old' })
  exchanges.push(['state-conflict', 409, 'no-cache', await request(`PATCH ${note}`, {}, { status: 'new' })])
  return { s, exchanges }
}

/** Sends a request while every call of the store fails. */
async function requestBroken(s: TestService, cause: Error): Promise<Reply> {
  const { store } = s.service
  const find = store.find
  store.find = () => {
    throw cause
  }
  try {
    return await s.request(`GET /notes/${absentId}`)
  } finally {
    store.find = find
  }
}

describe('the shape of a problem (RFC 9457 §3)', () => {
  test('is the same on every kind of error: type, title, status, detail, instance', async () => {
    const { s, exchanges } = await everyError()
    await using _ = s
    for (const [type, status, , reply] of exchanges) {
      assert.equal(reply.status, status, `${type} ${reply.text}`)
      assert.equal(reply.fields['content-type'], 'application/problem+json', type)
      const { json } = reply
      assert.equal(json.type, `/problems/${type}`)
      assert.equal(json.status, status)
      assert.equal(json.title, problemTypes[type as keyof typeof problemTypes].title)
      assert.equal(json.instance, `urn:uuid:${reply.fields['request-id']}`, type)
      assert.match(json.detail, /[.?]$/, type)
      assert.match(reply.fields.date as string, /GMT$/)
    }
  })

  test('states its cacheability, which 404, 405, 410, 414 and 501 would else be guessed', async () => {
    const { s, exchanges } = await everyError()
    await using _ = s
    for (const [type, , cacheControl, reply] of exchanges) {
      assert.equal(reply.fields['cache-control'], cacheControl, type)
    }
  })

  test('is private as well where it depends on the caller', async () => {
    const personal = service({
      title: 'Personal',
      accounts: { resource: 'users', login: 'email', password: 'password' },
      resources: {
        users: resource(
          { email: email().unique(), password: password() },
          { access: { read: self, create: anyone, update: self } },
        ),
      },
    })
    await using s = await serve(personal)
    const { location } = (await s.request('POST /users', {}, ada)).fields
    for (const [line, status] of [
      [`GET /users/${absentId}`, 404],
      ['DELETE /users', 405],
      ['GET /users?nonsense', 400],
      ['POST /users', 400],
    ] as const) {
      const response = await s.request(line, asAda)
      assert.equal(response.status, status, line)
      assert.equal(response.fields['cache-control'], 'private, no-cache', line)
      assert.match(response.fields.vary as string, /Authorization/)
    }
    const invalid = await s.request(`PATCH ${location}`, asAda, { nonsense: 1 })
    assert.equal(invalid.fields['cache-control'], 'private, no-cache')
  })

  test('a HEAD has its fields and no content', async () => {
    const { s } = await start()
    await using _ = s
    const get = await s.request('GET /nothing')
    const head = await s.request('HEAD /nothing')
    assert.equal(head.status, 404)
    assert.equal(head.text, '')
    assert.equal(head.fields['content-type'], 'application/problem+json')
    assert.equal(head.fields['content-length'], get.fields['content-length'])
  })

  test('is sent for any Accept: an error is never 406 because of its own format', async () => {
    const { s } = await start()
    await using _ = s
    const response = await s.request('GET /nothing', { accept: 'image/png' })
    assert.equal(response.status, 404)
    assert.equal(response.fields['content-type'], 'application/problem+json')
  })

  test('is the same for what the parser refuses', async () => {
    const { s } = await start()
    await using _ = s
    for (const [request, status, type] of [
      ['nonsense\r\n\r\n', 400, 'malformed-request'],
      ['GET /notes HTTP/1.1\r\n\r\n', 400, 'malformed-request'],
      ['GET /notes HTTP/2.0\r\nHost: h\r\n\r\n', 505, 'http-version-not-supported'],
      ['foo /notes HTTP/1.1\r\nHost: h\r\n\r\n', 501, 'not-implemented'],
    ] as const) {
      const client = new RawClient(s.port)
      await client.send(request)
      const [response] = await client.take(1)
      client.socket.destroy()
      assert.equal(response?.status, status, request)
      assert.equal(response?.fields['content-type'], 'application/problem+json')
      const problem = JSON.parse(response?.body ?? '')
      assert.deepEqual([problem.type, problem.status], [`/problems/${type}`, status])
      assert.equal(problem.instance, `urn:uuid:${response?.fields['request-id']}`)
      assert.notEqual(response?.fields['cache-control'], undefined)
    }
  })
})

describe('the links of a problem', () => {
  test('its type resolves to a document with cause and remedy', async () => {
    const { s, exchanges } = await everyError()
    await using _ = s
    for (const [type, status, , { json }] of exchanges) {
      const page = await s.request(`GET ${json.type}`)
      assert.equal(page.status, 200, type)
      assert.equal(page.json.type, json.type)
      assert.equal(page.json.status, status)
      assert.equal(page.json.title, json.title)
      assert.ok(page.json.cause.length > 20 && page.json.remedy.length > 10)
    }
  })

  test('the catalogue lists every type', async () => {
    const { s } = await start()
    await using _ = s
    const { json } = await s.request('GET /problems')
    const types = json.map((entry: { type: string }) => entry.type)
    assert.deepEqual(
      types,
      Object.keys(problemTypes).map((name) => `/problems/${name}`),
    )
    for (const uri of types) assert.equal((await s.request(`GET ${uri}`)).status, 200, uri)
  })

  test('names of objects are no problem types', async () => {
    const { s } = await start()
    await using _ = s
    for (const name of ['__proto__', 'constructor', 'toString', '%7B%7D']) {
      assert.equal((await s.request(`GET /problems/${name}`)).status, 404, name)
    }
  })
})

describe('faults of the content', () => {
  const wide = service({
    title: 'Wide',
    resources: {
      things: resource(
        { name: text({ min: 3, pattern: '^[a-z]*$' }), size: choice(['s', 'm']) },
        { access: open },
      ),
    },
  })

  test('are reported all at once, each with pointer, rule and a sentence', async () => {
    await using s = await serve(wide)
    const body = { name: 'A', size: 'x', other: 1 }
    const { status, json } = await s.request('POST /things', {}, body)
    assert.equal(status, 422)
    const faults = json.errors.map((error: { pointer: string; rule: string }) => [error.pointer, error.rule])
    assert.deepEqual(faults.sort(), [
      ['/name', 'minLength'],
      ['/name', 'pattern'],
      ['/other', 'additionalProperties'],
      ['/size', 'enum'],
    ])
    for (const error of json.errors) {
      assert.deepEqual(Object.keys(error).sort(), ['detail', 'pointer', 'rule'])
      assert.match(error.detail, /\.$/)
    }
  })

  test('an unknown member is named with the nearest field that the caller may see and write', async () => {
    await using s = await serve(wide)
    const { json } = await s.request('POST /things', {}, { nme: 'abc', name: 'abc', size: 's', far: 1 })
    const details = json.errors.map((error: { detail: string }) => error.detail)
    assert.deepEqual(details, ["There is no such field. Did you mean 'name'?", 'There is no such field.'])
  })

  test('100 are all reported; of 101 the first 100 and the total', async () => {
    await using s = await serve(wide)
    const body = (count: number) => ({
      name: 'abc',
      size: 's',
      ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1])),
    })
    const hundred = await s.request('POST /things', {}, body(100))
    assert.equal(hundred.json.errors.length, 100)
    assert.equal(hundred.json.totalErrors, undefined)
    const more = await s.request('POST /things', {}, body(101))
    assert.equal(more.json.errors.length, 100)
    assert.equal(more.json.totalErrors, 101)
  })

  test('unknown parameters are named, with a suggestion where one is near', async () => {
    const { s } = await start()
    await using _ = s
    const { json } = await s.request('GET /notes?limits=1')
    assert.equal(json.parameter, 'limits')
    assert.match(json.detail, /Did you mean 'limit'\?/)
  })
})

describe('the inside', () => {
  const inside = /\bat [\w.]+ \(|\.ts\b|node:|\/src\/|SQL|sqlite|select |constraint|Error:|\d+\.\d+\.\d+|ajv/i

  test('is not shown by any problem: no stack, SQL, path or version', async () => {
    const { s, exchanges } = await everyError()
    await using _ = s
    for (const [type, , , reply] of exchanges) {
      assert.doesNotMatch(reply.text, inside, type)
      assert.doesNotMatch(JSON.stringify(reply.fields), /node\/|express|x-powered-by/i)
    }
  })

  test('nor by a 500, whose cause is logged with the same id', async () => {
    const { s } = await start()
    await using _ = s
    const response = await requestBroken(s, new Error('SQLITE_SECRET at /src/store.ts'))
    assert.equal(response.status, 500)
    assert.equal(response.json.type, '/problems/internal-error')
    assert.equal(response.fields['cache-control'], 'no-store')
    assert.doesNotMatch(response.text, inside)
    const bug = s.observations.find((observation) => observation.kind === 'bug')
    assert.equal(bug?.request, response.fields['request-id'])
  })

  test('an unreachable database is 503 with Retry-After, a full disk 507', async () => {
    const { s } = await start()
    await using _ = s
    const away = await requestBroken(s, new StoreUnavailable('unreachable', 'SQLITE_IOERR'))
    assert.equal(away.status, 503)
    assert.equal(away.json.type, '/problems/unavailable')
    assert.match(away.fields['retry-after'] as string, /^[1-9]\d*$/)
    assert.equal(away.fields['cache-control'], 'no-store')
    assert.doesNotMatch(away.text, inside)
    const full = await requestBroken(s, new StoreUnavailable('full', 'SQLITE_FULL'))
    assert.equal(full.status, 507)
    assert.equal(full.json.type, '/problems/insufficient-storage')
    assert.equal(full.fields['cache-control'], 'no-store')
    assert.doesNotMatch(full.text, inside)
  })
})
