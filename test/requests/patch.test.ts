/** PATCH, and writes that change nothing (docs/reference/http.md, "Methods" and "Writing"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { json, resource, service, text } from 'restwell'
import { admin, serve, type TestService } from '../service.ts'
import { ada, asAda, open, pointersOf, serveNotes } from './every-field-kind.ts'

const positionOf = async ({ service }: TestService) =>
  (await service.store.readChanges(0, 1000)).at(-1)?.position

describe('PATCH', () => {
  test('null removes an optional field, restores a default, and is 422 for a required one', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    await s.request(`PATCH ${uri}`, asAda, { colour: 'red' })
    const patched = await s.request(`PATCH ${uri}`, asAda, { body: null, colour: null })
    assert.equal(patched.status, 200)
    assert.ok(!('body' in patched.json))
    assert.equal(patched.json.colour, 'blue')
    assert.deepEqual(pointersOf(await s.request(`PATCH ${uri}`, asAda, { title: null })), ['/title'])
  })

  test('fields that it leaves out are unchanged', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.request(`GET ${uri}`, admin)
    const { json: after } = await s.request(`PATCH ${uri}`, admin, { title: 'Z' })
    assert.deepEqual({ ...after, updatedAt: '' }, { ...before, title: 'Z', updatedAt: '' })
  })

  test('a failing member leaves all the others unapplied (RFC 5789 §2)', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const before = await s.request(`GET ${uri}`, asAda)
    assert.equal((await s.request(`PATCH ${uri}`, asAda, { title: 'Z', colour: 'x' })).status, 422)
    const after = await s.request(`GET ${uri}`, asAda)
    assert.deepEqual([after.text, after.fields.etag], [before.text, before.fields.etag])
  })

  test('absent becomes the text "null" where that is sent, and the text becomes absent', async () => {
    const definition = service({
      title: 'Null',
      resources: {
        things: resource({ a: text().optional(), b: json().optional() }, { access: open }),
      },
    })
    await using s = await serve(definition)
    const { location } = (await s.request('POST /things', {}, {})).fields
    assert.equal((await s.request(`PATCH ${location}`, {}, { a: 'null' })).json.a, 'null')
    assert.ok(!('a' in (await s.request(`PATCH ${location}`, {}, { a: null })).json))
    assert.ok((await s.request(`PUT ${location}`, {}, { b: null })).text.includes('"b":null'))
    assert.ok(!('b' in (await s.request(`PATCH ${location}`, {}, { b: null })).json))
  })

  test('a json field is merged by RFC 7396, appendix A', async () => {
    const definition = service({
      title: 'Merge',
      resources: { things: resource({ data: json() }, { access: open }) },
    })
    await using s = await serve(definition)
    // Examples whose patch is null are left out: here null removes the field.
    const cases: [target: unknown, patch: unknown, result: unknown][] = [
      [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
      [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
      [{ a: 'b' }, { a: null }, {}],
      [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
      [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
      [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
      [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
      [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
      [
        ['a', 'b'],
        ['c', 'd'],
        ['c', 'd'],
      ],
      [{ a: 'b' }, ['c'], ['c']],
      [{ a: 'foo' }, 'bar', 'bar'],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [[1, 2], { a: 'b', c: null }, { a: 'b' }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ]
    for (const [target, patch, result] of cases) {
      const { location } = (await s.request('POST /things', {}, { data: target })).fields
      const patched = await s.request(`PATCH ${location}`, {}, { data: patch })
      assert.equal(patched.status, 200)
      assert.deepEqual(patched.json.data, result)
      assert.deepEqual((await s.request(`GET ${location}`)).json.data, result)
    }
  })

  test('the merged value is checked against the schema of the json field', async () => {
    const schema = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } }
    const definition = service({
      title: 'Merge',
      resources: { things: resource({ data: json(schema) }, { access: open }) },
    })
    await using s = await serve(definition)
    const { location } = (await s.request('POST /things', {}, { data: { a: 1, b: 2 } })).fields
    assert.equal((await s.request(`PATCH ${location}`, {}, { data: { b: 3 } })).status, 200)
    const refused = await s.request(`PATCH ${location}`, {}, { data: { a: null } })
    assert.deepEqual(pointersOf(refused), ['/data/a'])
  })
})

describe('a PUT or PATCH that changes nothing', () => {
  test('leaves version, updatedAt and change log untouched', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const before = await s.request(`GET ${uri}`, admin)
    const position = await positionOf(s)
    s.advance(5000)
    for (const [method, body] of [
      ['PUT', before.json],
      ['PATCH', { title: 'A', status: 'draft', colour: 'blue' }],
      ['PATCH', {}],
    ] as const) {
      const response = await s.request(`${method} ${uri}`, admin, body)
      assert.equal(response.status, 200, response.text)
      assert.equal(response.text, before.text)
    }
    const after = await s.request(`GET ${uri}`, admin)
    assert.equal(after.fields.etag, before.fields.etag)
    assert.equal(after.fields['last-modified'], before.fields['last-modified'])
    assert.equal(await positionOf(s), position)
  })

  test('so does the present password sent again; another one is a change', async () => {
    const { s } = await serveNotes()
    await using _ = s
    const { account } = (await s.request('GET /', asAda)).json.links
    const before = await s.request(`GET ${account}`, asAda)
    const position = await positionOf(s)
    const proof = { currentPassword: ada.password }
    for (const [method, body] of [
      ['PATCH', { password: ada.password, ...proof }],
      ['PUT', { ...before.json, password: ada.password, ...proof }],
    ] as const) {
      assert.equal((await s.request(`${method} ${account}`, asAda, body)).status, 200)
    }
    assert.equal((await s.request(`GET ${account}`, asAda)).fields.etag, before.fields.etag)
    assert.equal(await positionOf(s), position)
    await s.request(`PATCH ${account}`, asAda, { password: 'another one', ...proof })
    assert.notEqual(await positionOf(s), position)
  })

  test('a change does all three: version, updatedAt and one entry in the log', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const before = await s.request(`GET ${uri}`, asAda)
    const position = (await positionOf(s)) ?? 0
    s.advance(5000)
    await s.request(`PATCH ${uri}`, asAda, { title: 'Z' })
    const after = await s.request(`GET ${uri}`, asAda)
    assert.notEqual(after.fields.etag, before.fields.etag)
    assert.ok(after.json.updatedAt > before.json.updatedAt)
    assert.equal(after.json.createdAt, before.json.createdAt)
    const changes = await s.service.store.readChanges(position, 10)
    assert.deepEqual(
      changes.map(({ kind, id }) => [kind, id]),
      [['updated', before.json.id]],
    )
  })
})
