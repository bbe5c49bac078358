/** Idempotency-Key: the scope of a key, and the syntax of the field (docs/reference/http.md, "Methods"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { admin, basic, serve } from '../service.ts'
import { countOf, key, note, notes } from './keyed-notes.ts'

describe('the scope of a key', () => {
  test('another caller, method or path is another request', async () => {
    await using s = await serve(notes)
    await s.request('POST /users', {}, { email: 'ada@example.org', password: 'analytical' })
    const locations = new Set<string | undefined>()
    for (const caller of [{}, admin, basic('ada@example.org', 'analytical')]) {
      const created = await s.request('POST /notes', { ...caller, ...key }, note)
      assert.equal(created.status, 201)
      locations.add(created.fields.location)
      const patch = { ...caller, ...key, 'content-type': 'application/json' }
      assert.equal((await s.request(`PATCH ${created.fields.location}`, patch, note)).status, 200)
    }
    assert.equal(locations.size, 3)
    assert.equal((await s.request('POST /diary', { ...admin, ...key }, note)).status, 201)
  })

  test('the query and another spelling of the path are the same path', async () => {
    await using s = await serve(notes)
    const first = await s.request('POST /notes', key, note)
    for (const path of ['/%6eotes', '/notes?format=json']) {
      const again = await s.request(`POST ${path}`, key, note)
      assert.equal(again.fields.location, first.fields.location)
    }
  })

  test('rights are checked first: a caller without the right gets no stored response', async () => {
    await using s = await serve(notes)
    await s.request('POST /users', {}, { email: 'ada@example.org', password: 'analytical' })
    const caller = basic('ada@example.org', 'analytical')
    assert.equal((await s.request('POST /diary', { ...caller, ...key }, note)).status, 201)
    assert.equal((await s.request('POST /diary', key, note)).status, 401)
    const wrong = basic('ada@example.org', 'wrong')
    assert.equal((await s.request('POST /diary', { ...wrong, ...key }, note)).status, 401)
  })

  test('other content under the same key is 422 key-reused, and changes nothing', async () => {
    await using s = await serve(notes)
    await s.request('POST /notes', key, note)
    for (const body of [{ title: 'B' }, {}, '{"title": "A"}', '']) {
      const reply = await s.request('POST /notes', { 'content-type': 'application/json', ...key }, body)
      assert.equal(reply.status, 422, JSON.stringify(body))
      assert.equal(reply.json.type, '/problems/key-reused')
    }
    assert.equal(await countOf(s), 1)
  })

  test('neither key, caller nor content can be read from what is stored', async () => {
    await using s = await serve(notes)
    await s.request('POST /dropbox', key, { title: 'canary' })
    const name = '8e03978e'
    const { store } = s.service
    const exchanged: unknown[] = []
    const storedResponse = store.findStoredResponse.bind(store)
    store.findStoredResponse = async (...args) => {
      const found = await storedResponse(...args)
      exchanged.push(args, found)
      return found
    }
    await s.request('POST /dropbox', key, { title: 'canary' })
    assert.equal(exchanged.length, 2)
    assert.doesNotMatch(JSON.stringify(exchanged), new RegExp(`canary|${name}|127\\.0\\.0\\.1`))
  })
})

describe('the field itself', () => {
  test('a quoted string or a token of 1 to 255 characters is accepted, anything else is 400', async () => {
    await using s = await serve(notes)
    const good = [
      '"a"',
      'a',
      '8e03978e-40d5-43dd-bc93-6894a57f9324',
      `"${'x'.repeat(255)}"`,
      '"\\""',
      'a;b=1',
    ]
    for (const value of good) {
      const created = await s.request('POST /notes', { 'idempotency-key': value }, note)
      assert.equal(created.status, 201, value)
    }
    const before = await countOf(s)
    const bad = [
      '',
      '""',
      `"${'x'.repeat(256)}"`,
      'x'.repeat(256),
      '"a',
      'a b',
      '"a", "b"',
      '"\xe9"',
      ':YQ==:;',
    ]
    for (const value of bad) {
      const refused = await s.request('POST /notes', { 'idempotency-key': value }, note)
      assert.equal(refused.status, 400, value)
    }
    assert.equal(await countOf(s), before)
  })

  test('a quoted and a bare key of the same characters are one key', async () => {
    await using s = await serve(notes)
    const one = await s.request('POST /notes', { 'idempotency-key': '"abc"' }, note)
    const two = await s.request('POST /notes', { 'idempotency-key': 'abc' }, note)
    assert.equal(one.fields.location, two.fields.location)
  })

  test('idempotent methods ignore it', async () => {
    await using s = await serve(notes)
    const odd = { 'idempotency-key': '"' }
    assert.equal((await s.request('PUT /named/a', odd, {})).status, 201)
    assert.equal((await s.request('PUT /named/a', odd, {})).status, 200)
    assert.equal((await s.request('GET /named/a', odd)).status, 200)
    assert.equal((await s.request('DELETE /named/a', odd)).status, 204)
  })

  test('names of prototypes are keys like others', async () => {
    await using s = await serve(notes)
    for (const value of ['__proto__', 'constructor', 'toString']) {
      const created = await s.request('POST /notes', { 'idempotency-key': value }, note)
      const again = await s.request('POST /notes', { 'idempotency-key': value }, note)
      assert.equal(created.status, 201)
      assert.equal(again.fields.location, created.fields.location)
    }
  })
})
