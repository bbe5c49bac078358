/** Refusals tell a caller what it lacks, as far as its documentation does. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  action,
  anyone,
  choice,
  email,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
} from '../../src/index.ts'
import { admin, basic, serve, type TestService } from '../service.ts'

const users = resource(
  {
    email: email().unique(),
    password: password({ min: 8 }),
    role: choice(['member', 'agent', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: role('admin'), create: anyone, update: role('admin'), delete: role('admin') } },
)
const tickets = resource(
  { title: text(), reporter: ref('users').fromPrincipal() },
  {
    access: {
      read: signedIn,
      create: role('agent', 'admin'),
      update: [owner('reporter'), role('admin')],
      delete: role('admin'),
    },
  },
)
const secrets = resource({ title: text() }, { access: { read: role('admin'), create: role('admin') } })
const definition = service(
  {
    title: 'Help',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role', admin: 'admin' },
    resources: { users, tickets, secrets },
  },
  { tickets: { actions: { close: action({ on: 'item', by: role('agent'), run: () => undefined }) } } },
)

const pass = 'correct horse'

async function start(): Promise<TestService & { readonly member: Record<string, string> }> {
  const s = await serve(definition)
  const made = await s.request('POST /users', {}, { email: 'mia@example.org', password: pass })
  assert.equal(made.status, 201, made.text)
  return { ...s, member: basic('mia@example.org', pass) }
}

async function detailOf(s: TestService, line: string, fields: Record<string, string>, body?: unknown) {
  const { status, json } = await s.request(line, fields, body)
  return [status, json.detail]
}

test('403 names the right and who has it, on a collection, an item and an action', async () => {
  await using s = await start()
  const { location = '' } = (await s.request('POST /tickets', admin, { title: 'A' })).fields
  const refused = 'Your account may not do this.'
  assert.deepEqual(await detailOf(s, 'POST /tickets', s.member, { title: 'B' }), [
    403,
    `${refused} 'create' of tickets is for the role agent or admin.`,
  ])
  const merge = { ...s.member, 'content-type': 'application/merge-patch+json', 'if-match': '*' }
  assert.deepEqual(await detailOf(s, `PATCH ${location}`, merge, { title: 'B' }), [
    403,
    `${refused} 'update' of tickets is for the account in reporter; or the role admin.`,
  ])
  assert.deepEqual(await detailOf(s, `DELETE ${location}`, s.member), [
    403,
    `${refused} 'delete' of tickets is for the role admin.`,
  ])
  assert.deepEqual(await detailOf(s, `POST ${location}/close`, s.member), [
    403,
    `${refused} 'close' of tickets is for the role agent.`,
  ])
})

test('a resource that the documentation does not show to the caller keeps its rules', async () => {
  await using s = await start()
  const plain = [403, 'Your account may not do this.']
  assert.deepEqual(await detailOf(s, 'GET /secrets', s.member), plain)
  assert.deepEqual(await detailOf(s, 'POST /secrets', s.member, { title: 'B' }), plain)
  assert.deepEqual(await detailOf(s, 'POST /secrets', {}, { title: 'B' }), [401, 'Sign in to do this.'])
  const { json } = await s.request('GET /docs?format=json', s.member)
  assert.equal(JSON.stringify(json).includes('secrets'), false)
})

test('a misspelt path names the nearest collection that exists for the caller', async () => {
  await using s = await start()
  const unknown = "This page doesn't exist."
  assert.deepEqual(await detailOf(s, 'GET /ticket', s.member), [404, `${unknown} Did you mean /tickets?`])
  assert.deepEqual(await detailOf(s, 'GET /ticket', {}), [404, unknown])
  const { fields } = await s.request('GET /ticket', s.member)
  assert.equal(fields['cache-control'], 'private, no-cache')
  assert.deepEqual(await detailOf(s, 'GET /secret', s.member), [404, unknown])
  assert.deepEqual(await detailOf(s, 'GET /secret', admin), [404, `${unknown} Did you mean /secrets?`])
})

test('a request for an unknown path is counted and identified like others of its caller', async () => {
  await using s = await serve(definition, { rate: 2 })
  assert.equal((await s.request('GET /ticket', basic('mia@example.org', 'wrong'))).status, 401)
  const statuses: number[] = []
  for (let at = 0; at < 3; at++) statuses.push((await s.request('GET /ticket', admin)).status)
  assert.deepEqual(statuses, [404, 404, 429])
})
