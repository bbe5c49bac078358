/** PUT: which fields it changes (docs/reference/http.md, "Methods" and "Writing"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  boolean,
  decimal,
  email,
  integer,
  json,
  list,
  ref,
  resource,
  role,
  service,
  text,
  timestamp,
} from 'restwell'
import { admin, basic, serve } from '../service.ts'
import { accounts, ada, asAda, open, pointersOf, serveNotes, users } from './every-field-kind.ts'

describe('GET → edit → PUT', () => {
  test('the owner sends back what it got with one field changed: 200, and only that changes', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.request(`GET ${uri}`, asAda)
    const put = await s.request(`PUT ${uri}`, asAda, { ...before, title: 'Edited' })
    assert.equal(put.status, 200, put.text)
    assert.deepEqual({ ...put.json, updatedAt: '' }, { ...before, title: 'Edited', updatedAt: '' })
    const { json: full } = await s.request(`GET ${uri}`, admin)
    assert.deepEqual([full.remark, full.verdict, full.rank], ['r', 'good', 3])
  })

  test('also in HAL, whose links are ignored; other content with that type is 400, and no POST takes it', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const hal = { ...asAda, 'content-type': 'application/hal+json' }
    const { json: before } = await s.request(`GET ${uri}`, { ...asAda, accept: 'application/hal+json' })
    assert.ok(before._links.self)
    const put = await s.request(`PUT ${uri}`, hal, { ...before, title: 'Edited' })
    assert.equal(put.status, 200, put.text)
    assert.equal(put.json.title, 'Edited')
    const { status, json } = await s.request(`PUT ${uri}`, hal, [before])
    assert.deepEqual([status, json.type], [400, '/problems/malformed-content'])
    assert.equal((await s.request('POST /notes', hal, before)).status, 415)
  })

  test('so does an admin, who can see and write more', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.request(`GET ${uri}`, admin)
    const put = await s.request(`PUT ${uri}`, admin, { ...before, rank: 4 })
    assert.equal(put.status, 200, put.text)
    assert.deepEqual({ ...put.json, updatedAt: '' }, { ...before, rank: 4, updatedAt: '' })
  })

  test('an account can be read and put back by itself, password and role left alone', async () => {
    const { s } = await serveNotes()
    await using _ = s
    const { account } = (await s.request('GET /', asAda)).json.links
    const { json: before } = await s.request(`GET ${account}`, asAda)
    const renaming = { email: 'lovelace@example.org', currentPassword: ada.password }
    const put = await s.request(`PUT ${account}`, asAda, { ...before, ...renaming })
    assert.equal(put.status, 200, put.text)
    const renamed = basic('lovelace@example.org', ada.password)
    assert.equal((await s.request(`GET ${account}`, renamed)).json.role, 'member')
  })

  test('every kind of field survives the round trip without a change', async () => {
    const kinds = service({
      title: 'Kinds',
      resources: {
        kinds: resource(
          {
            decimal: decimal({ scale: 2 }).optional(),
            yes: boolean().optional(),
            at: timestamp().optional(),
            list: list(decimal({ scale: 1 })).optional(),
            json: json().optional(),
            fixed: json()
              .default({ b: [1, { d: 1, c: 2 }], a: null })
              .readOnly(),
            email: email().optional(),
          },
          { access: open },
        ),
      },
    })
    await using s = await serve(kinds)
    const created = await s.request(
      'POST /kinds',
      {},
      {
        decimal: '1.5',
        yes: false,
        at: '2026-01-01T01:00:00+01:00',
        list: ['1', '2.5'],
        json: { b: 1, a: [null, true] },
        email: 'ADA@Example.org',
      },
    )
    assert.equal(created.status, 201, created.text)
    const uri = created.fields.location
    const put = await s.request(`PUT ${uri}`, {}, created.json)
    assert.equal(put.status, 200, put.text)
    assert.equal((await s.request(`GET ${uri}`)).fields.etag, created.fields.etag)
  })

  test('a json value has no order of names: a read-only one may be sent in another order', async () => {
    const fixed = { b: [1, { d: 1, c: 2 }], a: null }
    const definition = service({
      title: 'Json',
      resources: {
        things: resource(
          { fixed: json().default(fixed).readOnly(), free: json().optional() },
          { access: open },
        ),
      },
    })
    await using s = await serve(definition)
    const created = await s.request('POST /things', {}, { free: { x: 1, y: 2 } })
    const uri = created.fields.location
    const other = { fixed: { a: null, b: [1, { c: 2, d: 1 }] }, free: { y: 2, x: 1 } }
    assert.equal((await s.request(`PUT ${uri}`, {}, other)).status, 200)
    assert.equal((await s.request(`GET ${uri}`)).fields.etag, created.fields.etag)
    const changed = { fixed: { a: null, b: [{ c: 2, d: 1 }, 1] } }
    assert.deepEqual(pointersOf(await s.request(`PUT ${uri}`, {}, changed)), ['/fixed'])
  })

  test('a reference to an item that the caller may not read may be sent back as it is', async () => {
    const definition = service({
      title: 'Hidden targets',
      accounts,
      resources: {
        users,
        folders: resource({ name: text() }, { access: { read: role('admin'), create: anyone } }),
        notes: resource({ title: text(), folder: ref('folders').optional() }, { access: open }),
      },
    })
    await using s = await serve(definition)
    const { location: folder } = (await s.request('POST /folders', {}, { name: 'F' })).fields
    const id = (folder as string).split('/').at(-1)
    const created = await s.request('POST /notes', admin, { title: 'A', folder: id })
    const uri = created.fields.location
    const put = await s.request(`PUT ${uri}`, {}, { ...created.json, title: 'B' })
    assert.equal(put.status, 200, put.text)
    assert.equal(put.json.folder, id)
  })

  test('read-only fields sent with another value are 422 naming each', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.request(`GET ${uri}`, asAda)
    const other = {
      ...before,
      id: '019a0000-0000-7000-8000-000000000000',
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2020-01-01T00:00:00.000Z',
      serial: 8,
      rank: 4,
      author: '019a0000-0000-7000-8000-000000000000',
    }
    const put = await s.request(`PUT ${uri}`, asAda, other)
    const names = ['/author', '/createdAt', '/id', '/rank', '/serial', '/updatedAt']
    assert.deepEqual(pointersOf(put), names)
    const { json: after } = await s.request(`GET ${uri}`, asAda)
    assert.deepEqual(after, before)
  })

  test('an absent read-only text is not the text "null"', async () => {
    const definition = service({
      title: 'Null',
      resources: { things: resource({ a: text().optional().readOnly() }, { access: open }) },
    })
    await using s = await serve(definition)
    const { location } = (await s.request('POST /things', {}, {})).fields
    assert.deepEqual(pointersOf(await s.request(`PUT ${location}`, {}, { a: 'null' })), ['/a'])
  })
})

describe('fields that a PUT leaves out', () => {
  test('optional fields become absent, or get their default', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    await s.request(`PATCH ${uri}`, asAda, { colour: 'red' })
    const put = await s.request(`PUT ${uri}`, asAda, { title: 'A' })
    assert.equal(put.status, 200)
    assert.deepEqual([put.json.body, put.json.colour], [undefined, 'blue'])
    assert.ok(!('body' in put.json))
  })

  test('required fields are 422 naming each', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    assert.deepEqual(pointersOf(await s.request(`PUT ${uri}`, asAda, {})), ['/title'])
  })

  test('write-only, hidden, unwritable and state fields are unchanged', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    await s.request(`PATCH ${uri}`, asAda, { status: 'published' })
    const { json: before } = await s.request(`GET ${uri}`, admin)
    assert.equal((await s.request(`PUT ${uri}`, asAda, { title: 'A' })).status, 200)
    const { json: after } = await s.request(`GET ${uri}`, admin)
    for (const name of ['serial', 'remark', 'rank', 'verdict', 'author', 'status']) {
      assert.deepEqual(after[name], before[name], name)
    }
    const [row] = await s.service.store.list({
      table: 'notes',
      condition: { kind: 'always' },
      order: [{ column: '_identity', descending: false }],
      after: undefined,
      limit: 1,
      evaluated: [],
    })
    const pin = s.service.model.resources.get('notes')?.fieldByName.get('pin')
    assert.equal(row?.[pin?.index ?? -1], '1')
  })

  test('a caller who may write an item but not read it changes only the fields it sends', async () => {
    const definition = service({
      title: 'Blind',
      accounts,
      resources: {
        users,
        boxes: resource(
          { a: text().optional(), b: text().optional(), c: integer().default(1).readOnly() },
          { access: { read: role('admin'), create: anyone, update: anyone } },
        ),
      },
    })
    await using s = await serve(definition)
    const { location } = (await s.request('POST /boxes', {}, { a: 'A', b: 'B' })).fields
    assert.equal((await s.request(`PUT ${location}`, {}, { a: 'Z' })).status, 204)
    const { json: item } = await s.request(`GET ${location}`, admin)
    assert.deepEqual([item.a, item.b], ['Z', 'B'])
    const guess = { id: item.id, createdAt: item.createdAt, c: 1 }
    const right = await s.request(`PUT ${location}`, {}, guess)
    const wrong = await s.request(`PUT ${location}`, {}, { ...guess, c: 2 })
    assert.deepEqual(pointersOf(right), ['/c', '/createdAt', '/id'])
    assert.deepEqual(pointersOf(wrong), pointersOf(right))
  })

  test('an admin, who could have sent them, clears the fields it leaves out', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const put = await s.request(`PUT ${uri}`, admin, { title: 'A' })
    assert.deepEqual([put.json.remark, put.json.verdict, put.json.rank], [undefined, undefined, 0])
  })
})
