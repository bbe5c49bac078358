/** `unique: [['project', 'number']]`: sets of fields that are unique together (docs/reference/http/writing.md, "Writing"). */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  choice,
  decimal,
  email,
  integer,
  password,
  ref,
  resource,
  role,
  service,
  state,
  text,
} from 'restwell'
import { type Reply, serve, type TestService } from '../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

const definition = service({
  title: 'Tracker',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'member']).default('member').readOnly(),
        team: text({ max: 20 }).optional(),
        badge: integer().optional(),
      },
      { access, unique: [['team', 'badge']] },
    ),
    projects: resource({ name: text({ max: 20 }) }, { key: 'name', access }),
    tasks: resource(
      {
        project: ref('projects', { onDelete: 'clear' }).optional(),
        number: integer().optional(),
        price: decimal({ scale: 2 }).default('0.00'),
        status: state({
          initial: 'open',
          transitions: { close: { from: 'open', to: 'closed' } },
        }),
        slot: text({ max: 20 }).optional(),
      },
      {
        access,
        bulk: true,
        put: 'create',
        unique: [
          ['project', 'number'],
          ['status', 'slot', 'price'],
        ],
      },
    ),
    seats: resource(
      {
        row: text({ max: 20 }),
        place: integer(),
        house: text({ max: 20 }).default('main').readOnly().visibleTo(role('admin')),
      },
      { access, bulk: true, unique: [['house', 'row', 'place']] },
    ),
    vaults: resource(
      {
        label: text({ max: 20 }),
        inner: text({ max: 20 }).default('a').readOnly().visibleTo(role('admin')),
        outer: text({ max: 20 }).default('b').readOnly().visibleTo(role('admin')),
      },
      { access, bulk: true, unique: [['inner', 'outer']] },
    ),
  },
})

let s: TestService
before(async () => {
  s = await serve(definition)
  for (const name of ['apollo', 'gemini', 'mercury']) await s.request('POST /projects', {}, { name })
})
after(() => s[Symbol.asyncDispose]())

let next = 1
/** A number that no task has yet. */
const fresh = () => next++

async function create(body: object): Promise<string> {
  const created = await s.request('POST /tasks', {}, body)
  assert.equal(created.status, 201, created.text)
  return `/tasks/${created.json.id}`
}

function refused(reply: Reply, ...pointers: string[]): void {
  assert.equal(reply.status, 409, reply.text)
  assert.match(reply.json.type, /duplicate$/)
  assert.deepEqual(
    reply.json.errors.map(({ pointer }: { pointer: string }) => pointer),
    pointers,
  )
  for (const { rule } of reply.json.errors) assert.equal(rule, 'unique')
}

const both = ['/project', '/number']
const merge = { 'content-type': 'application/merge-patch+json' }

describe('a combination that another item has is 409 `duplicate` with a pointer to each field', () => {
  it('in a POST; one field may be the same', async () => {
    const number = fresh()
    await create({ project: 'apollo', number })
    const reply = await s.request('POST /tasks', {}, { project: 'apollo', number })
    refused(reply, ...both)
    assert.match(reply.json.detail, /The combination of 'project', 'number' must be unique/)
    await create({ project: 'gemini', number })
    await create({ project: 'apollo', number: fresh() })
  })

  it('in a PUT and a PATCH; the item itself is no other item', async () => {
    const [first, second] = [fresh(), fresh()]
    await create({ project: 'apollo', number: first })
    const uri = await create({ project: 'apollo', number: second })
    refused(await s.request(`PUT ${uri}`, {}, { project: 'apollo', number: first }), ...both)
    refused(await s.request(`PATCH ${uri}`, merge, { number: first }), ...both)
    const operations = [{ op: 'replace', path: '/number', value: first }]
    const patch = { 'content-type': 'application/json-patch+json' }
    refused(await s.request(`PATCH ${uri}`, patch, operations), ...both)
    const same = { project: 'apollo', number: second, price: '2.00' }
    assert.equal((await s.request(`PUT ${uri}`, {}, same)).status, 200)
    assert.equal((await s.request(`PATCH ${uri}`, merge, { price: '3.00' })).status, 200)
  })

  it('in a PUT that creates the item', async () => {
    const number = fresh()
    await create({ project: 'apollo', number })
    const uri = '/tasks/01890a5d-ac96-774b-bcce-b302099a8057'
    refused(await s.request(`PUT ${uri}`, {}, { project: 'apollo', number }), ...both)
    assert.equal((await s.request(`PUT ${uri}`, {}, { project: 'gemini', number })).status, 201)
  })

  it('in a transition', async () => {
    const body = { slot: 'noon', price: '1.00' }
    const first = await create(body)
    refused(await s.request('POST /tasks', {}, body), '/status', '/slot', '/price')
    assert.equal((await s.request(`PATCH ${first}`, merge, { status: 'closed' })).status, 200)
    const second = await create(body)
    refused(await s.request(`PATCH ${second}`, merge, { status: 'closed' }), '/status', '/slot', '/price')
  })

  it('in one of several concurrent requests', async () => {
    const number = fresh()
    const body = { project: 'apollo', number }
    const replies = await Promise.all([1, 2, 3, 4].map(() => s.request('POST /tasks', {}, body)))
    const statuses = replies.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [201, 409, 409, 409])
    const refusal = replies.find(({ status }) => status === 409) as Reply
    refused(refusal, ...both)
    const tasks = await Promise.all([1, 2, 3].map(() => create({ project: 'gemini', number: fresh() })))
    const changed = { project: 'mercury', number }
    const patched = await Promise.all(tasks.map((uri) => s.request(`PATCH ${uri}`, merge, changed)))
    assert.deepEqual(patched.map(({ status }) => status).sort(), [200, 409, 409])
  })

  it('of an account, before its password is hashed', async () => {
    const user = (name: string, more: object) => ({
      email: `${name}@example.org`,
      password: 'a good password',
      ...more,
    })
    assert.equal((await s.request('POST /users', {}, user('a', { team: 'x', badge: 1 }))).status, 201)
    refused(await s.request('POST /users', {}, user('b', { team: 'x', badge: 1 })), '/team', '/badge')
    const twice = await s.request('POST /users', {}, user('a', { team: 'x', badge: 1 }))
    refused(twice, '/email', '/team', '/badge')
    assert.equal((await s.request('POST /users', {}, user('b', { team: 'x', badge: 2 }))).status, 201)
    assert.equal((await s.request('POST /users', {}, user('c', { team: 'x' }))).status, 201)
  })
})

it('an item that lacks one of the fields is exempt', async () => {
  const number = fresh()
  for (const body of [{ number }, { number }, { project: 'apollo' }, { project: 'apollo' }, {}, {}]) {
    await create(body)
  }
  const first = await create({ project: 'apollo', number })
  refused(await s.request('POST /tasks', {}, { project: 'apollo', number }), ...both)
  assert.equal((await s.request(`PATCH ${first}`, merge, { number: null })).status, 200)
  await create({ project: 'apollo', number })
})

it('a deletion that clears a reference exempts the items', async () => {
  await s.request('POST /projects', {}, { name: 'x' })
  await s.request('POST /projects', {}, { name: 'y' })
  const number = fresh()
  await create({ project: 'x', number })
  await create({ project: 'y', number })
  for (const name of ['x', 'y']) assert.equal((await s.request(`DELETE /projects/${name}`)).status, 204)
})

describe('many items at once', () => {
  it('with a combination that an earlier row has are 409 at that row', async () => {
    const number = fresh()
    const row = { project: 'apollo', number }
    const rows = [row, { project: 'gemini', number }, { number }, row]
    refused(await s.request('POST /tasks', {}, rows), '/3/project', '/3/number')
  })

  it('with a combination that an existing item has are 409 at every such row', async () => {
    const rows = Array.from({ length: 250 }, () => ({ project: 'apollo', number: fresh() }))
    const taken = rows.filter((_, at) => at === 1 || at === 220)
    for (const row of taken) await create(row)
    const pointers = ['/1/project', '/1/number', '/220/project', '/220/number']
    refused(await s.request('POST /tasks', {}, rows), ...pointers)
    const others = rows.filter((row) => !taken.includes(row))
    assert.equal((await s.request('POST /tasks', {}, others)).status, 201)
  })
})

describe('a field that the caller neither sees nor writes', () => {
  it('is not named by the refusal', async () => {
    const seat = { row: 'A', place: 1 }
    assert.equal((await s.request('POST /seats', {}, seat)).status, 201)
    const reply = await s.request('POST /seats', {}, seat)
    refused(reply, '/row', '/place')
    const many = await s.request('POST /seats', {}, [seat])
    refused(many, '/0/row', '/0/place')
    for (const { text: shown } of [reply, many]) assert.doesNotMatch(shown, /house/)
  })

  it('leaves a refusal without pointers where it is so for all fields', async () => {
    assert.equal((await s.request('POST /vaults', {}, { label: 'x' })).status, 201)
    const reply = await s.request('POST /vaults', {}, { label: 'y' })
    assert.equal(reply.status, 409)
    assert.equal(reply.json.errors, undefined)
    assert.equal(reply.json.detail, "Another item of 'vaults' has the same values.")
    refused(await s.request('POST /vaults', {}, [{ label: 'y' }]), '/0')
  })

  it('is in no description', async () => {
    const { json: seats } = await s.request('GET /schemas/seats')
    assert.equal(seats.description, undefined)
    assert.doesNotMatch((await s.request('GET /docs', { accept: 'text/html' })).text, /house/)
  })
})

it('JSON Schema, OpenAPI and the documentation say which fields are unique together', async () => {
  const sentence = /No two items have the same combination of project, number\./
  for (const name of ['tasks', 'tasks.create', 'tasks.replace', 'tasks.patch']) {
    assert.match((await s.request(`GET /schemas/${name}`)).json.description, sentence)
  }
  const { components } = (await s.request('GET /openapi.json')).json
  assert.match(components.schemas.TasksCreate.description, sentence)
  assert.match((await s.request('GET /docs', { accept: 'text/html' })).text, sentence)
})

it('the refused HTML form shows the fault at each field', async () => {
  const number = fresh()
  await create({ project: 'apollo', number })
  const form = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'text/html',
    origin: s.url,
  }
  const page = await s.request('POST /tasks', form, `project=apollo&number=${number}`)
  assert.equal(page.status, 409)
  assert.equal(
    page.text.match(/This combination of values is already taken\./g)?.length,
    4,
    'in the summary and at the field',
  )
})
