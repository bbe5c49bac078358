/** Errors: every one is a problem of the same shape (RFC 9457) that reveals no internals. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, choice, email, nobody, password, resource, self, service, text } from 'restwell'
import { type ProblemType, problemTypes } from '../../src/refusal.ts'
import { StoreUnavailable } from '../../src/store/store.ts'
import { RawClient } from '../server/raw.ts'
import { serve } from '../service.ts'
import { absentId, ada, asAda, everyError, open, requestBroken, start } from './every-error.ts'

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
      ['nonsense\r\n\r\n', 501, 'not-implemented'],
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
    const names = Object.entries<ProblemType>(problemTypes)
    assert.deepEqual(
      types,
      names.map(([name, { registered = `/problems/${name}` }]) => registered),
    )
    for (const [name] of names) assert.equal((await s.request(`GET /problems/${name}`)).status, 200, name)
    const page = await s.request('GET /problems', { accept: 'text/html' })
    for (const [name] of names) assert.ok(page.text.includes(`href="/problems/${name}"`), name)
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

  test('an unknown path is named with the nearest collection that the home document shows to everyone', async () => {
    const things = resource({ name: text() }, { access: open })
    const vaults = resource({ name: text() }, { access: { ...open, read: nobody } })
    await using s = await serve(service({ title: 'Paths', base: '/api', resources: { things, vaults } }))
    const detailOf = async (path: string) => {
      const { status, json } = await s.request(`GET /api${path}`)
      assert.equal(status, 404, path)
      return json.detail
    }
    const unknown = "This page doesn't exist."
    assert.equal(await detailOf('/thing'), `${unknown} Did you mean /api/things?`)
    assert.equal(await detailOf('/thigns/%22%2F'), `${unknown} Did you mean /api/things/%22%2F?`)
    for (const path of [
      '/vault',
      '/vaultss/1',
      '/thing/1/name',
      '/thing/..',
      '/thing//',
      '/xyzzy',
      '//thing',
    ]) {
      assert.equal(await detailOf(path), unknown, path)
    }
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
