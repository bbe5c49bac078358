/** State fields: a change of state must be a declared, open and permitted transition (docs/reference/http/writing.md, "Writing"). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  anyone,
  choice,
  email,
  nobody,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  state,
  text,
  where,
} from 'restwell'
import { admin, basic, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const status = state({
  initial: 'draft',
  transitions: {
    submit: { from: 'draft', to: 'submitted' },
    publish: { from: ['draft', 'submitted'], to: 'published' },
    archive: { from: 'published', to: 'archived', by: role('admin') },
  },
})

const desk = service({
  title: 'Desk',
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
    papers: resource({ title: text().optional(), status }, { access: open }),
    fixed: resource({ status: status.writableBy(role('admin')) }, { access: open }),
    owned: resource(
      {
        author: ref('users').fromPrincipal(),
        status: state({
          initial: 'draft',
          transitions: {
            publish: { from: 'draft', to: 'published', by: owner('author') },
            retract: { from: 'published', to: 'draft', by: nobody },
          },
        }),
      },
      { access: { read: anyone, create: [role('admin'), role('member')], update: anyone } },
    ),
    frozen: resource(
      { note: text().optional(), status },
      {
        access: { read: anyone, create: anyone, update: where({ status: ['draft', 'submitted'] }) },
      },
    ),
  },
})

const ada = { email: 'ada@example.org', password: 'analytical' }
const asAda = basic(ada.email, ada.password)

describe('creating', () => {
  test('an item starts in the initial state, sent or not', async () => {
    await using s = await serve(desk)
    assert.equal((await s.request('POST /papers', {}, {})).json.status, 'draft')
    const said = await s.request('POST /papers', {}, { status: 'draft' })
    assert.equal(said.status, 201)
    assert.equal(said.json.status, 'draft')
  })

  test('another initial state is 422 at its pointer, declared or not', async () => {
    await using s = await serve(desk)
    for (const other of ['submitted', 'archived', 'nonsense', '', 1, null]) {
      const response = await s.request('POST /papers', {}, { status: other })
      assert.equal(response.status, 422, String(other))
      assert.equal(response.json.errors[0].pointer, '/status')
    }
    assert.deepEqual((await s.request('GET /papers')).json, [])
  })
})

describe('transitions', () => {
  test('an open transition is performed by writing its target state, with PATCH or PUT', async () => {
    await using s = await serve(desk)
    const { location } = (await s.request('POST /papers', {}, { title: 'A' })).fields
    const submitted = await s.request(`PATCH ${location}`, {}, { status: 'submitted' })
    assert.equal(submitted.status, 200)
    assert.equal(submitted.json.status, 'submitted')
    const published = await s.request(`PUT ${location}`, {}, { title: 'A', status: 'published' })
    assert.equal(published.status, 200)
    assert.equal(published.json.status, 'published')
  })

  test('one that is not declared is 409 with the open ones', async () => {
    await using s = await serve(desk)
    const { location } = (await s.request('POST /papers', {}, {})).fields
    const response = await s.request(`PATCH ${location}`, {}, { status: 'archived' })
    assert.equal(response.status, 409)
    assert.equal(response.json.type, '/problems/state-conflict')
    assert.deepEqual(response.json.open, [
      { name: 'submit', to: 'submitted' },
      { name: 'publish', to: 'published' },
    ])
    assert.equal((await s.request(`GET ${location}`)).json.status, 'draft')
  })

  test('one that is declared but not open is 409 too, with an empty list if none is open', async () => {
    await using s = await serve(desk)
    const { location } = (await s.request('POST /papers', {}, {})).fields
    for (const step of ['published', 'archived']) {
      assert.equal((await s.request(`PATCH ${location}`, admin, { status: step })).status, 200)
    }
    const response = await s.request(`PUT ${location}`, admin, { status: 'published' })
    assert.equal(response.status, 409)
    assert.deepEqual(response.json.open, [])
  })

  test('one that is open and not to this caller is 403, or 401 to a caller without an account', async () => {
    await using s = await serve(desk)
    await s.request('POST /users', {}, ada)
    const { location } = (await s.request('POST /papers', {}, {})).fields
    await s.request(`PATCH ${location}`, {}, { status: 'published' })
    assert.equal((await s.request(`PATCH ${location}`, asAda, { status: 'archived' })).status, 403)
    assert.equal((await s.request(`PATCH ${location}`, {}, { status: 'archived' })).status, 401)
    assert.equal((await s.request(`PATCH ${location}`, admin, { status: 'archived' })).status, 200)
  })

  test('a rule of a transition may use the record', async () => {
    await using s = await serve(desk)
    await s.request('POST /users', {}, ada)
    const { location } = (await s.request('POST /owned', asAda, {})).fields
    assert.equal((await s.request(`PATCH ${location}`, admin, { status: 'published' })).status, 403)
    assert.equal((await s.request(`PATCH ${location}`, asAda, { status: 'published' })).status, 200)
    assert.equal((await s.request(`PATCH ${location}`, admin, { status: 'draft' })).status, 403)
  })

  test('a state that does not exist is 422, and so is removing the state', async () => {
    await using s = await serve(desk)
    const { location } = (await s.request('POST /papers', {}, {})).fields
    for (const value of ['nonsense', null, 1]) {
      const response = await s.request(`PATCH ${location}`, {}, { status: value })
      assert.equal(response.status, 422, String(value))
      assert.equal(response.json.errors[0].pointer, '/status')
    }
  })

  test('the current state is no transition: 200, and what else was sent is done', async () => {
    await using s = await serve(desk)
    const { location } = (await s.request('POST /papers', {}, {})).fields
    await s.request(`PATCH ${location}`, {}, { status: 'published' })
    const patched = await s.request(`PATCH ${location}`, {}, { status: 'published', title: 'B' })
    assert.equal(patched.status, 200)
    assert.equal(patched.json.title, 'B')
    const put = await s.request(`PUT ${location}`, {}, { status: 'published', title: 'C' })
    assert.equal(put.status, 200)
  })

  test('of two that exclude each other one succeeds, the other is 409', async () => {
    await using s = await serve(desk)
    const { location } = (await s.request('POST /papers', {}, {})).fields
    const responses = await Promise.all(
      ['submitted', 'published', 'submitted', 'published'].map((step) =>
        s.request(`PATCH ${location}`, {}, { status: step }),
      ),
    )
    const { json } = await s.request(`GET ${location}`)
    assert.equal(json.status, 'published')
    for (const { status: code } of responses) assert.ok(code === 200 || code === 409, String(code))
  })
})

describe('states and rules', () => {
  test('a state that the caller may not write is 422 with another value, and fine with its own in PUT', async () => {
    await using s = await serve(desk)
    const { location } = (await s.request('POST /fixed', {}, {})).fields
    assert.equal((await s.request(`PUT ${location}`, {}, { status: 'draft' })).status, 200)
    assert.equal((await s.request(`PUT ${location}`, {}, { status: 'submitted' })).status, 422)
    assert.equal((await s.request(`PATCH ${location}`, {}, { status: 'submitted' })).status, 422)
    assert.equal((await s.request(`PATCH ${location}`, admin, { status: 'submitted' })).status, 200)
  })

  test('a transition into a state in which the caller could not write is refused (docs/reference/http/access.md, "Access")', async () => {
    await using s = await serve(desk)
    await s.request('POST /users', {}, ada)
    const { location } = (await s.request('POST /frozen', {}, {})).fields
    assert.equal((await s.request(`PATCH ${location}`, asAda, { status: 'submitted' })).status, 200)
    assert.equal((await s.request(`PATCH ${location}`, asAda, { status: 'published' })).status, 403)
    assert.equal((await s.request(`GET ${location}`)).json.status, 'submitted')
  })
})
