/** `.immutable()`: set at creation, never changed (docs/reference/http/writing.md, "Writing"). */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  choice,
  decimal,
  email,
  integer,
  json,
  list,
  password,
  ref,
  resource,
  role,
  service,
  state,
  text,
  timestamp,
} from 'restwell'
import { admin, type Reply, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Tasks',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'member']).default('member').readOnly(),
      },
      { access: { read: anyone } },
    ),
    projects: resource({ name: text({ max: 20 }) }, { key: 'name', access }),
    tasks: resource(
      {
        title: text(),
        number: integer().immutable(),
        price: decimal({ scale: 2 }).immutable().default('1.00'),
        due: timestamp().immutable().optional(),
        tags: list(text()).immutable().default([]),
        data: json().immutable().optional(),
        project: ref('projects').immutable().optional(),
        pin: text().immutable().writeOnly().optional(),
        remark: text().immutable().optional().visibleTo(role('admin')),
        status: state({
          initial: 'open',
          transitions: { plan: { from: 'open', to: 'planned', requires: ['due'] } },
        }),
      },
      { access },
    ),
    pages: resource({ slug: text({ max: 20 }).immutable(), body: text() }, { key: 'slug', access }),
    notes: resource({ kind: text({ max: 20 }).immutable(), body: text() }, { put: 'create', access }),
  },
})

let s: TestService
before(async () => {
  s = await serve(definition)
  await s.request('POST /projects', {}, { name: 'apollo' })
  await s.request('POST /projects', {}, { name: 'gemini' })
})
after(() => s[Symbol.asyncDispose]())

const full = {
  title: 'Land',
  number: 7,
  price: '2.50',
  due: '2026-11-16T12:00:00.000Z',
  tags: ['a', 'b'],
  data: { a: 1, b: 2 },
  project: 'apollo',
}

async function create(body: object = full): Promise<string> {
  const created = await s.request('POST /tasks', {}, body)
  assert.equal(created.status, 201, created.text)
  return `/tasks/${created.json.id}`
}

function refused(reply: Reply, ...pointers: string[]): void {
  assert.equal(reply.status, 422, reply.text)
  assert.deepEqual(
    reply.json.errors.map(({ pointer, rule }: { pointer: string; rule: string }) => [pointer, rule]),
    pointers.map((pointer) => [pointer, 'immutable']),
  )
}

const merge = { 'content-type': 'application/merge-patch+json' }
const patch = { 'content-type': 'application/json-patch+json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Another value of each field, and the present one in another form. */
const values = {
  number: [8, 7],
  price: ['2.51', '2.5'],
  due: ['2026-11-16T12:00:01Z', '2026-11-16T13:00:00+01:00'],
  tags: [
    ['b', 'a'],
    ['a', 'b'],
  ],
  project: ['gemini', 'apollo'],
} as const

describe('a PATCH', () => {
  for (const [name, [other, same]] of Object.entries(values)) {
    it(`of ${name}: another value is 422 with its pointer, the same value is accepted`, async () => {
      const uri = await create()
      refused(await s.request(`PATCH ${uri}`, merge, { [name]: other }), `/${name}`)
      const kept = await s.request(`PATCH ${uri}`, merge, { [name]: same, title: 'x' })
      assert.equal(kept.status, 200, kept.text)
      assert.deepEqual([kept.json[name], kept.json.title], [full[name as keyof typeof full], 'x'])
    })
  }

  it('of JSON compares the merged value, in any order of names (RFC 7396 §2)', async () => {
    const uri = await create()
    refused(await s.request(`PATCH ${uri}`, merge, { data: { a: 2 } }), '/data')
    refused(await s.request(`PATCH ${uri}`, merge, { data: { a: null } }), '/data')
    assert.equal((await s.request(`PATCH ${uri}`, merge, { data: { b: 2, a: 1 } })).status, 200)
  })

  it('with null removes no value, and is accepted where there is none', async () => {
    refused(await s.request(`PATCH ${await create()}`, merge, { due: null, tags: null }), '/due', '/tags')
    const bare = await create({ title: 'x', number: 1 })
    assert.equal((await s.request(`PATCH ${bare}`, merge, { due: null })).status, 200)
    refused(await s.request(`PATCH ${bare}`, merge, { due: full.due }), '/due')
  })

  it('by JSON Patch: `replace` and `remove` are refused, the same value is accepted', async () => {
    const uri = await create()
    const send = (...operations: object[]) => s.request(`PATCH ${uri}`, patch, operations)
    refused(await send({ op: 'replace', path: '/number', value: 8 }), '/number')
    refused(await send({ op: 'remove', path: '/project' }), '/project')
    refused(await send({ op: 'add', path: '/tags/-', value: 'c' }), '/tags')
    assert.equal((await send({ op: 'replace', path: '/number', value: 7 })).status, 200)
    assert.equal((await send({ op: 'replace', path: '/price', value: '2.5' })).status, 200)
  })

  it('by a form: another value and an emptied one are refused', async () => {
    const uri = await create()
    refused(await s.request(`PATCH ${uri}`, form, 'number=8'), '/number')
    refused(await s.request(`PATCH ${uri}`, form, 'due='), '/due')
    assert.equal((await s.request(`PATCH ${uri}`, form, 'number=7&title=x')).status, 200)
  })
})

describe('a PUT', () => {
  it('with another value is 422, with the same value or without the member it keeps the value', async () => {
    const uri = await create()
    refused(
      await s.request(`PUT ${uri}`, {}, { ...full, number: 8, project: 'gemini' }),
      '/number',
      '/project',
    )
    const { json: seen } = await s.request(`GET ${uri}`)
    assert.equal((await s.request(`PUT ${uri}`, {}, { ...seen, title: 'y' })).status, 200)
    const replaced = await s.request(`PUT ${uri}`, {}, { title: 'z' })
    assert.equal(replaced.status, 200, replaced.text)
    for (const name of Object.keys(full).slice(1)) {
      assert.deepEqual(replaced.json[name], full[name as keyof typeof full], name)
    }
  })

  it('in XML follows the same rule', async () => {
    const uri = await create()
    const xml = { 'content-type': 'application/xml' }
    const { text: seen } = await s.request(`GET ${uri}`, { accept: 'application/xml' })
    assert.equal((await s.request(`PUT ${uri}`, xml, seen)).status, 200)
    refused(await s.request(`PUT ${uri}`, xml, seen.replace('>7<', '>8<')), '/number')
  })

  it('that creates an item sets the field, the next one cannot change it', async () => {
    const uri = '/notes/01890a5d-ac96-774b-bcce-b302099a8057'
    assert.equal((await s.request(`PUT ${uri}`, {}, { kind: 'a', body: 'x' })).status, 201)
    refused(await s.request(`PUT ${uri}`, {}, { kind: 'b', body: 'x' }), '/kind')
    assert.equal((await s.request(`PUT ${uri}`, {}, { body: 'y' })).json.kind, 'a')
  })
})

it('an immutable key keeps its URI', async () => {
  await s.request('POST /pages', {}, { slug: 'one', body: 'x' })
  refused(await s.request('PATCH /pages/one', merge, { slug: 'two' }), '/slug')
  refused(await s.request('PUT /pages/one', {}, { slug: 'two', body: 'x' }), '/slug')
  assert.equal((await s.request('PUT /pages/one', {}, { body: 'y' })).json.slug, 'one')
})

it('a caller who does not see the field is refused whatever it sends, so that it cannot guess', async () => {
  const uri = await create({ ...full, pin: '1234', remark: 'secret' })
  for (const remark of ['secret', 'other', null]) {
    refused(await s.request(`PATCH ${uri}`, merge, { remark, pin: '1234' }), '/remark', '/pin')
  }
  assert.equal((await s.request(`PUT ${uri}`, {}, { title: 'x' })).status, 200)
  const { json } = await s.request(`GET ${uri}`, admin)
  assert.equal(json.remark, 'secret')
  const same = { ...merge, ...admin }
  assert.equal((await s.request(`PATCH ${uri}`, same, { remark: 'secret' })).status, 200)
  refused(await s.request(`PATCH ${uri}`, same, { remark: 'other' }), '/remark')
})

describe('forms', () => {
  const forms = { accept: 'application/prs.hal-forms+json' }
  const names = ({ json }: Reply, action: string) =>
    json._templates[action]?.properties.map(({ name }: { name: string }) => name)

  it('to create an item offer the field, forms to edit one do not (HAL-FORMS)', async () => {
    const uri = await create()
    assert.ok(names(await s.request('GET /tasks', forms), 'default').includes('number'))
    assert.deepEqual(names(await s.request(`GET ${uri}`, forms), 'default'), ['title'])
  })

  it('of HTML leave it out of the edit form, and show its value', async () => {
    const html = { accept: 'text/html' }
    const uri = await create()
    assert.match((await s.request(`GET ${uri}`, html)).text, /<dt>Number<\/dt><dd>7<\/dd>/)
    assert.doesNotMatch((await s.request(`GET /forms${uri}`, html)).text, /name="number"/)
    assert.match((await s.request('GET /forms/tasks', html)).text, /name="number"/)
  })

  it('do not offer a transition that requires the field where it has no value', async () => {
    const planned = await s.request(`GET ${await create()}`, forms)
    assert.deepEqual(names(planned, 'plan'), ['status'])
    const bare = await create({ title: 'x', number: 1 })
    assert.equal(names(await s.request(`GET ${bare}`, forms), 'plan'), undefined)
  })
})

it('JSON Schema and OpenAPI say that a changed item keeps its value', async () => {
  const schema = async (name: string) => (await s.request(`GET /schemas/${name}`)).json
  const created = await schema('tasks.create')
  assert.match(created.properties.number.description, /Set at creation/)
  assert.ok(created.required.includes('number'))
  const patched = (await schema('tasks.patch')).properties
  for (const name of Object.keys(full).slice(1)) {
    assert.match(patched[name].description, /Must be unchanged or absent/, name)
    assert.equal(patched[name]['x-fixed'], true, name)
  }
  assert.deepEqual([patched.pin, patched.remark], [undefined, undefined])
  const replaced = await schema('tasks.replace')
  assert.equal(replaced.properties.number['x-fixed'], true)
  assert.deepEqual(replaced.required, ['title'])
  const { components } = (await s.request('GET /openapi.json')).json
  assert.ok(components.schemas.TasksCreate.properties.number)
  assert.equal(components.schemas.TasksPatch.properties.number['x-fixed'], true)
  // A PUT may create an item of a resource whose items clients name.
  assert.equal((await schema('notes.replace')).properties.kind['x-fixed'], undefined)
  assert.match((await s.request('GET /docs', { accept: 'text/html' })).text, /Set at creation/)
})
