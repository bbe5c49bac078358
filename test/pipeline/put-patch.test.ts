/** PUT and PATCH: which fields they change (docs/reference/http.md, "Methods" and "Writing"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  boolean,
  choice,
  decimal,
  email,
  integer,
  json,
  list,
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
  timestamp,
} from 'restwell'
import { admin, basic, type Reply, serve, type TestService } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }

const users = resource(
  {
    email: email().unique().visibleTo(self, role('admin')),
    password: password(),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: [self, role('admin')], delete: self } },
)
const accounts = {
  resource: 'users',
  login: 'email',
  password: 'password',
  roles: 'role',
} as const

const ada = { email: 'ada@example.org', password: 'analytical' }
const asAda = basic(ada.email, ada.password)

/** Notes that Ada owns, with fields that some callers cannot write or see. */
const notes = service({
  title: 'Notes',
  accounts,
  resources: {
    users,
    notes: resource(
      {
        title: text(),
        body: text().optional(),
        colour: choice(['red', 'blue']).default('blue'),
        serial: integer().default(7).readOnly(),
        pin: text().writeOnly().optional(),
        remark: text().optional().visibleTo(role('admin')),
        rank: integer().default(0).writableBy(role('admin')),
        verdict: text().optional().visibleTo(role('admin')).writableBy(role('admin')),
        author: ref('users').fromPrincipal(),
        status: state({
          initial: 'draft',
          transitions: { publish: { from: 'draft', to: 'published' } },
        }),
      },
      {
        access: {
          read: signedIn,
          create: signedIn,
          update: [owner('author'), role('admin')],
          delete: owner('author'),
        },
      },
    ),
  },
})

async function serveNotes() {
  const s = await serve(notes)
  assert.equal((await s.ask('POST /users', {}, ada)).status, 201)
  const created = await s.ask('POST /notes', asAda, {
    title: 'A',
    body: 'B',
    pin: '1',
    remark: 'r',
  })
  assert.equal(created.status, 201, created.text)
  const uri = created.fields.location as string
  await s.ask(`PATCH ${uri}`, admin, { verdict: 'good', rank: 3 })
  return { s, uri }
}

function pointersOf(response: Reply): string[] {
  assert.equal(response.status, 422, response.text)
  return response.json.errors.map((error: { pointer: string }) => error.pointer).sort()
}

const positionOf = async ({ service }: TestService) => (await service.store.changes(0, 1000)).at(-1)?.position

describe('GET → edit → PUT', () => {
  test('the owner sends back what it got with one field changed: 200, and only that changes', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.ask(`GET ${uri}`, asAda)
    const put = await s.ask(`PUT ${uri}`, asAda, { ...before, title: 'Edited' })
    assert.equal(put.status, 200, put.text)
    assert.deepEqual({ ...put.json, updatedAt: '' }, { ...before, title: 'Edited', updatedAt: '' })
    const { json: full } = await s.ask(`GET ${uri}`, admin)
    assert.deepEqual([full.remark, full.verdict, full.rank], ['r', 'good', 3])
  })

  test('so does an admin, who can see and write more', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.ask(`GET ${uri}`, admin)
    const put = await s.ask(`PUT ${uri}`, admin, { ...before, rank: 4 })
    assert.equal(put.status, 200, put.text)
    assert.deepEqual({ ...put.json, updatedAt: '' }, { ...before, rank: 4, updatedAt: '' })
  })

  test('an account can be read and put back by itself, password and role left alone', async () => {
    const { s } = await serveNotes()
    await using _ = s
    const { account } = (await s.ask('GET /', asAda)).json.links
    const { json: before } = await s.ask(`GET ${account}`, asAda)
    const renaming = { email: 'lovelace@example.org', currentPassword: ada.password }
    const put = await s.ask(`PUT ${account}`, asAda, { ...before, ...renaming })
    assert.equal(put.status, 200, put.text)
    const renamed = basic('lovelace@example.org', ada.password)
    assert.equal((await s.ask(`GET ${account}`, renamed)).json.role, 'member')
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
    const created = await s.ask(
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
    const put = await s.ask(`PUT ${uri}`, {}, created.json)
    assert.equal(put.status, 200, put.text)
    assert.equal((await s.ask(`GET ${uri}`)).fields.etag, created.fields.etag)
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
    const created = await s.ask('POST /things', {}, { free: { x: 1, y: 2 } })
    const uri = created.fields.location
    const other = { fixed: { a: null, b: [1, { c: 2, d: 1 }] }, free: { y: 2, x: 1 } }
    assert.equal((await s.ask(`PUT ${uri}`, {}, other)).status, 200)
    assert.equal((await s.ask(`GET ${uri}`)).fields.etag, created.fields.etag)
    const changed = { fixed: { a: null, b: [{ c: 2, d: 1 }, 1] } }
    assert.deepEqual(pointersOf(await s.ask(`PUT ${uri}`, {}, changed)), ['/fixed'])
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
    const { location: folder } = (await s.ask('POST /folders', {}, { name: 'F' })).fields
    const id = (folder as string).split('/').at(-1)
    const created = await s.ask('POST /notes', admin, { title: 'A', folder: id })
    const uri = created.fields.location
    const put = await s.ask(`PUT ${uri}`, {}, { ...created.json, title: 'B' })
    assert.equal(put.status, 200, put.text)
    assert.equal(put.json.folder, id)
  })

  test('read-only fields sent with another value are 422 naming each', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.ask(`GET ${uri}`, asAda)
    const other = {
      ...before,
      id: '019a0000-0000-7000-8000-000000000000',
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2020-01-01T00:00:00.000Z',
      serial: 8,
      rank: 4,
      author: '019a0000-0000-7000-8000-000000000000',
    }
    const put = await s.ask(`PUT ${uri}`, asAda, other)
    const names = ['/author', '/createdAt', '/id', '/rank', '/serial', '/updatedAt']
    assert.deepEqual(pointersOf(put), names)
    const { json: after } = await s.ask(`GET ${uri}`, asAda)
    assert.deepEqual(after, before)
  })

  test('an absent read-only text is not the text "null"', async () => {
    const definition = service({
      title: 'Null',
      resources: { things: resource({ a: text().optional().readOnly() }, { access: open }) },
    })
    await using s = await serve(definition)
    const { location } = (await s.ask('POST /things', {}, {})).fields
    assert.deepEqual(pointersOf(await s.ask(`PUT ${location}`, {}, { a: 'null' })), ['/a'])
  })
})

describe('fields that a PUT leaves out', () => {
  test('optional fields become absent, or get their default', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    await s.ask(`PATCH ${uri}`, asAda, { colour: 'red' })
    const put = await s.ask(`PUT ${uri}`, asAda, { title: 'A' })
    assert.equal(put.status, 200)
    assert.deepEqual([put.json.body, put.json.colour], [undefined, 'blue'])
    assert.ok(!('body' in put.json))
  })

  test('required fields are 422 naming each', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    assert.deepEqual(pointersOf(await s.ask(`PUT ${uri}`, asAda, {})), ['/title'])
  })

  test('write-only, hidden, unwritable and state fields are unchanged', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    await s.ask(`PATCH ${uri}`, asAda, { status: 'published' })
    const { json: before } = await s.ask(`GET ${uri}`, admin)
    assert.equal((await s.ask(`PUT ${uri}`, asAda, { title: 'A' })).status, 200)
    const { json: after } = await s.ask(`GET ${uri}`, admin)
    for (const name of ['serial', 'remark', 'rank', 'verdict', 'author', 'status']) {
      assert.deepEqual(after[name], before[name], name)
    }
    const [row] = await s.service.store.list({
      table: 'notes',
      condition: { kind: 'always' },
      order: [{ column: '_identity', descending: false }],
      after: undefined,
      limit: 1,
      evaluate: [],
    })
    const pin = s.service.model.resources.get('notes')?.field.get('pin')
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
    const { location } = (await s.ask('POST /boxes', {}, { a: 'A', b: 'B' })).fields
    assert.equal((await s.ask(`PUT ${location}`, {}, { a: 'Z' })).status, 204)
    const { json: item } = await s.ask(`GET ${location}`, admin)
    assert.deepEqual([item.a, item.b], ['Z', 'B'])
    const guess = { id: item.id, createdAt: item.createdAt, c: 1 }
    const right = await s.ask(`PUT ${location}`, {}, guess)
    const wrong = await s.ask(`PUT ${location}`, {}, { ...guess, c: 2 })
    assert.deepEqual(pointersOf(right), ['/c', '/createdAt', '/id'])
    assert.deepEqual(pointersOf(wrong), pointersOf(right))
  })

  test('an admin, who could have sent them, clears the fields it leaves out', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const put = await s.ask(`PUT ${uri}`, admin, { title: 'A' })
    assert.deepEqual([put.json.remark, put.json.verdict, put.json.rank], [undefined, undefined, 0])
  })
})

describe('fields that cannot be sent', () => {
  test('unknown fields are 422 naming each, in POST, PUT and PATCH', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const body = { title: 'A', titel: 'A', Title: 'A' }
    for (const line of ['POST /notes', `PUT ${uri}`, `PATCH ${uri}`]) {
      assert.deepEqual(pointersOf(await s.ask(line, asAda, body)), ['/Title', '/titel'], line)
    }
  })

  test('fields that the caller may not write are 422 naming each in POST and PATCH', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.ask(`GET ${uri}`, asAda)
    const { id, createdAt, updatedAt, serial, rank, author } = before
    const body = { title: 'A', id, createdAt, updatedAt, serial, rank, author }
    const names = ['/author', '/createdAt', '/rank', '/serial', '/updatedAt']
    const post = await s.ask('POST /notes', asAda, body)
    assert.deepEqual(pointersOf(post), [...names, '/id'].sort())
    // A PATCH may repeat the id.
    assert.deepEqual(pointersOf(await s.ask(`PATCH ${uri}`, asAda, body)), names)
  })

  test('if that depends on the new item, POST is 422 naming each too', async () => {
    const field = text().optional().writableBy(owner('author'))
    const definition = service({
      title: 'Letters',
      accounts,
      resources: {
        users,
        letters: resource({ author: ref('users'), a: field, b: field }, { access: open }),
      },
    })
    await using s = await serve(definition)
    const { id: own } = (await s.ask('POST /users', {}, ada)).json
    const other = await s.ask('POST /users', {}, { ...ada, email: 'bob@example.org' })
    const letter = { author: other.json.id, a: 'x', b: 'y' }
    assert.deepEqual(pointersOf(await s.ask('POST /letters', asAda, letter)), ['/a', '/b'])
    const created = await s.ask('POST /letters', asAda, { ...letter, author: own })
    assert.equal(created.status, 201)
  })

  test('a field that the caller neither sees nor writes is refused like an unknown one', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    for (const method of ['PUT', 'PATCH']) {
      const hidden = await s.ask(`${method} ${uri}`, asAda, { title: 'A', verdict: 'good' })
      const unknown = await s.ask(`${method} ${uri}`, asAda, { title: 'A', verdant: 'good' })
      assert.deepEqual(pointersOf(hidden), ['/verdict'])
      assert.deepEqual({ ...hidden.json.errors[0], pointer: '' }, { ...unknown.json.errors[0], pointer: '' })
    }
  })

  test('null in POST and PUT is 422, but in json fields a value', async () => {
    const definition = service({
      title: 'Nulls',
      resources: {
        things: resource(
          { name: text().optional(), tags: list(text()).default([]), data: json().optional() },
          { access: open },
        ),
      },
    })
    await using s = await serve(definition)
    const created = await s.ask('POST /things', {}, { data: null })
    assert.equal(created.status, 201)
    assert.equal(created.json.data, null)
    const uri = created.fields.location
    for (const line of ['POST /things', `PUT ${uri}`]) {
      assert.deepEqual(pointersOf(await s.ask(line, {}, { name: null, tags: null })), ['/name', '/tags'])
    }
    const put = await s.ask(`PUT ${uri}`, {}, { data: null })
    assert.equal(put.status, 200)
    assert.ok(put.text.includes('"data":null'))
  })
})

describe('PATCH', () => {
  test('null removes an optional field, restores a default, and is 422 for a required one', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    await s.ask(`PATCH ${uri}`, asAda, { colour: 'red' })
    const patched = await s.ask(`PATCH ${uri}`, asAda, { body: null, colour: null })
    assert.equal(patched.status, 200)
    assert.ok(!('body' in patched.json))
    assert.equal(patched.json.colour, 'blue')
    assert.deepEqual(pointersOf(await s.ask(`PATCH ${uri}`, asAda, { title: null })), ['/title'])
  })

  test('fields that it leaves out are unchanged', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const { json: before } = await s.ask(`GET ${uri}`, admin)
    const { json: after } = await s.ask(`PATCH ${uri}`, admin, { title: 'Z' })
    assert.deepEqual({ ...after, updatedAt: '' }, { ...before, title: 'Z', updatedAt: '' })
  })

  test('a failing member leaves all the others unapplied (RFC 5789 §2)', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const before = await s.ask(`GET ${uri}`, asAda)
    assert.equal((await s.ask(`PATCH ${uri}`, asAda, { title: 'Z', colour: 'x' })).status, 422)
    const after = await s.ask(`GET ${uri}`, asAda)
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
    const { location } = (await s.ask('POST /things', {}, {})).fields
    assert.equal((await s.ask(`PATCH ${location}`, {}, { a: 'null' })).json.a, 'null')
    assert.ok(!('a' in (await s.ask(`PATCH ${location}`, {}, { a: null })).json))
    assert.ok((await s.ask(`PUT ${location}`, {}, { b: null })).text.includes('"b":null'))
    assert.ok(!('b' in (await s.ask(`PATCH ${location}`, {}, { b: null })).json))
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
      const { location } = (await s.ask('POST /things', {}, { data: target })).fields
      const patched = await s.ask(`PATCH ${location}`, {}, { data: patch })
      assert.equal(patched.status, 200)
      assert.deepEqual(patched.json.data, result)
      assert.deepEqual((await s.ask(`GET ${location}`)).json.data, result)
    }
  })

  test('the merged value is checked against the schema of the json field', async () => {
    const schema = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } }
    const definition = service({
      title: 'Merge',
      resources: { things: resource({ data: json(schema) }, { access: open }) },
    })
    await using s = await serve(definition)
    const { location } = (await s.ask('POST /things', {}, { data: { a: 1, b: 2 } })).fields
    assert.equal((await s.ask(`PATCH ${location}`, {}, { data: { b: 3 } })).status, 200)
    const refused = await s.ask(`PATCH ${location}`, {}, { data: { a: null } })
    assert.deepEqual(pointersOf(refused), ['/data/a'])
  })
})

describe('a PUT or PATCH that changes nothing', () => {
  test('leaves version, updatedAt and change log untouched', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const before = await s.ask(`GET ${uri}`, admin)
    const position = await positionOf(s)
    s.advance(5000)
    for (const [method, body] of [
      ['PUT', before.json],
      ['PATCH', { title: 'A', status: 'draft', colour: 'blue' }],
      ['PATCH', {}],
    ] as const) {
      const response = await s.ask(`${method} ${uri}`, admin, body)
      assert.equal(response.status, 200, response.text)
      assert.equal(response.text, before.text)
    }
    const after = await s.ask(`GET ${uri}`, admin)
    assert.equal(after.fields.etag, before.fields.etag)
    assert.equal(after.fields['last-modified'], before.fields['last-modified'])
    assert.equal(await positionOf(s), position)
  })

  test('so does the present password sent again; another one is a change', async () => {
    const { s } = await serveNotes()
    await using _ = s
    const { account } = (await s.ask('GET /', asAda)).json.links
    const before = await s.ask(`GET ${account}`, asAda)
    const position = await positionOf(s)
    const proof = { currentPassword: ada.password }
    for (const [method, body] of [
      ['PATCH', { password: ada.password, ...proof }],
      ['PUT', { ...before.json, password: ada.password, ...proof }],
    ] as const) {
      assert.equal((await s.ask(`${method} ${account}`, asAda, body)).status, 200)
    }
    assert.equal((await s.ask(`GET ${account}`, asAda)).fields.etag, before.fields.etag)
    assert.equal(await positionOf(s), position)
    await s.ask(`PATCH ${account}`, asAda, { password: 'another one', ...proof })
    assert.notEqual(await positionOf(s), position)
  })

  test('a change does all three: version, updatedAt and one entry in the log', async () => {
    const { s, uri } = await serveNotes()
    await using _ = s
    const before = await s.ask(`GET ${uri}`, asAda)
    const position = (await positionOf(s)) ?? 0
    s.advance(5000)
    await s.ask(`PATCH ${uri}`, asAda, { title: 'Z' })
    const after = await s.ask(`GET ${uri}`, asAda)
    assert.notEqual(after.fields.etag, before.fields.etag)
    assert.ok(after.json.updatedAt > before.json.updatedAt)
    assert.equal(after.json.createdAt, before.json.createdAt)
    const changes = await s.service.store.changes(position, 10)
    assert.deepEqual(
      changes.map(({ kind, id }) => [kind, id]),
      [['replaced', before.json.id]],
    )
  })
})
