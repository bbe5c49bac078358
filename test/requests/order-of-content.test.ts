/** The order of decisions that need the content of a request, and that it is not requested before (RFC 9110 §10.1.1). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RawClient } from '../server/raw.ts'
import { admin, type Reply } from '../service.ts'
import {
  absentId,
  asAda,
  asBob,
  asJson,
  bob,
  chunked,
  decidedBy,
  invalid,
  long,
  png,
  stale,
  start,
} from './ordered-decisions.ts'

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
