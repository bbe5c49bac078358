/** PATCH (RFC 5789) with JSON Patch (RFC 6902) and merge patches (RFC 7396). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyone, choice, email, integer, json, list, password, resource, role, service, text } from 'restwell'
import { admin, serve, type TestService } from '../service.ts'

const users = resource(
  {
    email: email().unique(),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone } },
)
const things = resource(
  {
    name: text({ max: 10 }),
    note: text().optional(),
    rank: integer().default(0),
    tags: list(text()).default([]),
    data: json().optional(),
    secret: text().optional().visibleTo(role('admin')),
    fixed: text().default('f').readOnly(),
  },
  { access: { read: anyone, create: anyone, update: anyone, delete: anyone } },
)
const definition = service({
  title: 'Things',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: { users, things },
})

const jsonPatch = { 'content-type': 'application/json-patch+json' }
const mergePatch = { 'content-type': 'application/merge-patch+json' }

async function createItem(s: TestService, body: object = {}) {
  const response = await s.request('POST /things', {}, { name: 'a', tags: ['x', 'y'], ...body })
  assert.equal(response.status, 201, response.text)
  const uri = response.fields.location as string
  return {
    uri,
    tag: response.fields.etag,
    patch: (operations: unknown, fields: object = jsonPatch) =>
      s.request(`PATCH ${uri}`, { ...jsonPatch, ...fields }, JSON.stringify(operations)),
  }
}

describe('JSON Patch (RFC 6902)', () => {
  test('all six operations work on the representation the caller sees (§4)', async () => {
    await using s = await serve(definition)
    const { patch } = await createItem(s, { data: { a: { 'b/c': 1, '~': 2 } }, note: 'n' })
    const response = await patch([
      { op: 'test', path: '/name', value: 'a' },
      { op: 'replace', path: '/name', value: 'b' },
      { op: 'add', path: '/tags/-', value: 'z' },
      { op: 'add', path: '/tags/0', value: 'w' },
      { op: 'remove', path: '/note' },
      { op: 'move', from: '/data/a/b~1c', path: '/rank' },
      { op: 'copy', from: '/data/a/~0', path: '/data/two' },
    ])
    assert.equal(response.status, 200, response.text)
    const { name, tags, note, rank, data } = response.json
    assert.deepEqual([name, tags, note, rank], ['b', ['w', 'x', 'y', 'z'], undefined, 1])
    assert.deepEqual(data, { a: { '~': 2 }, two: 2 })
  })

  test('one failing operation leaves the item and its entity tag unchanged (§5)', async () => {
    await using s = await serve(definition)
    const { uri, tag, patch } = await createItem(s)
    const response = await patch([
      { op: 'replace', path: '/name', value: 'b' },
      { op: 'test', path: '/rank', value: 1 },
    ])
    assert.equal(response.status, 409)
    assert.equal(response.json.type, '/problems/patch-test-failed')
    assert.equal(response.json.operation, 1)
    const after = await s.request(`GET ${uri}`)
    assert.deepEqual([after.json.name, after.fields.etag], ['a', tag])
  })

  test('a malformed patch is 400, another format 415, a failed test or absent path 409, a bad result 422', async () => {
    await using s = await serve(definition)
    const { patch, uri } = await createItem(s)
    for (const malformed of [{}, [1], [{ op: 'add', path: 'x', value: 1 }], [{ op: 'no', path: '' }]]) {
      assert.equal((await patch(malformed)).status, 400, JSON.stringify(malformed))
    }
    const other = await s.request(`PATCH ${uri}`, { 'content-type': 'text/plain' }, 'x')
    assert.equal(other.status, 415)
    assert.match(other.fields['accept-patch'] as string, /application\/json-patch\+json/)
    for (const path of ['/nope', '/tags/7', '/tags/x', '/name/deep', '/secret']) {
      assert.equal((await patch([{ op: 'remove', path }])).status, 409, path)
    }
    for (const [operation, pointer] of [
      [{ op: 'add', path: '/nope', value: 1 }, '/nope'],
      [{ op: 'replace', path: '/name', value: 'much too long' }, '/name'],
      [{ op: 'replace', path: '/name', value: null }, '/name'],
      [{ op: 'remove', path: '/name' }, '/name'],
      [{ op: 'replace', path: '/id', value: 'x' }, '/id'],
      [{ op: 'replace', path: '/fixed', value: 'x' }, '/fixed'],
      [{ op: 'add', path: '/tags/0', value: 1 }, '/tags/0'],
      [{ op: 'add', path: '', value: [] }, ''],
    ] as const) {
      const response = await patch([operation])
      assert.equal(response.status, 422, response.text)
      assert.equal(response.json.errors[0].pointer, pointer)
    }
    assert.equal((await patch([], { 'if-match': '"stale"' })).status, 412)
  })

  test('a patch cannot test or copy a hidden field (docs/reference/http/writing.md, Writing)', async () => {
    await using s = await serve(definition)
    const { uri, patch } = await createItem(s, { secret: 'hush' })
    const hidden = await patch([{ op: 'test', path: '/secret', value: 'hush' }])
    const absent = await patch([{ op: 'test', path: '/note', value: 'hush' }])
    const plain = (text: string) => text.replace(/urn:uuid:[^"]*/, '').replace('/note', '/secret')
    assert.equal(plain(hidden.text), plain(absent.text))
    assert.equal((await patch([{ op: 'copy', from: '/secret', path: '/note' }])).status, 409)
    const copied = await patch([{ op: 'copy', from: '/secret', path: '/note' }], admin)
    assert.equal(copied.json.note, 'hush')
    assert.equal((await s.request(`GET ${uri}`, admin)).json.secret, 'hush')
  })

  test('a patch without a change leaves version and times unchanged (docs/reference/http/writing.md, Writing)', async () => {
    await using s = await serve(definition)
    const { uri, tag, patch } = await createItem(s)
    for (const patchOf of [[], [{ op: 'replace', path: '/name', value: 'a' }]]) {
      assert.equal((await patch(patchOf)).status, 200)
    }
    assert.equal((await s.request(`GET ${uri}`)).fields.etag, tag)
  })

  test('1,000 operations are accepted, 1,001 are not; too deep nesting is 422', async () => {
    await using s = await serve(definition)
    const { patch } = await createItem(s, { data: {} })
    const tests = (count: number) =>
      Array.from({ length: count }, () => ({ op: 'test', path: '/name', value: 'a' }))
    assert.equal((await patch(tests(1000))).status, 200)
    assert.equal((await patch(tests(1001))).status, 400)
    const deep = Array.from({ length: 40 }, (_, depth) => ({
      op: 'add',
      path: `/data${'/a'.repeat(depth + 1)}`,
      value: {},
    }))
    assert.equal((await patch(deep)).status, 422)
    const bomb = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/tags', path: '/data/x' }))
    assert.equal((await patch(bomb)).status, 200)
  })

  test('it is not a format of POST or PUT', async () => {
    await using s = await serve(definition)
    const { uri } = await createItem(s)
    assert.equal((await s.request('POST /things', jsonPatch, '[]')).status, 415)
    assert.equal((await s.request(`PUT ${uri}`, jsonPatch, '[]')).status, 415)
  })
})

describe('merge patch (RFC 7396)', () => {
  test('null removes, arrays replace, objects merge, nulls within arrays stay (§2)', async () => {
    await using s = await serve(definition)
    const { patch } = await createItem(s, { note: 'n', data: { a: { b: 1, c: 2 }, d: [1] } })
    const body = { note: null, tags: ['z'], data: { a: { b: null, e: 3 }, d: [null, { f: null }] } }
    const response = await patch(body, mergePatch)
    assert.equal(response.status, 200, response.text)
    const { note, tags, data } = response.json
    assert.deepEqual([note, tags], [undefined, ['z']])
    assert.deepEqual(data, { a: { c: 2, e: 3 }, d: [null, { f: null }] })
  })

  test('a patch that is not an object would replace the item: 422 (§2)', async () => {
    await using s = await serve(definition)
    const { patch, uri, tag } = await createItem(s)
    for (const body of [[], 'x', 1, null]) {
      assert.equal((await patch(body, mergePatch)).status, 422, JSON.stringify(body))
    }
    assert.equal((await s.request(`GET ${uri}`)).fields.etag, tag)
  })

  test('null removes an entire JSON value; names of Object.prototype are ordinary names', async () => {
    await using s = await serve(definition)
    const { patch } = await createItem(s, { data: { a: 1 } })
    const polluting = '{"data":{"__proto__":{"polluted":true}}}'
    const { uri } = await createItem(s)
    const response = await s.request(`PATCH ${uri}`, mergePatch, polluting)
    assert.equal(response.status, 200)
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    assert.equal((await patch({ data: null }, mergePatch)).json.data, undefined)
  })
})
