/** Disabled accounts: an administrator refuses all credentials of a person without deleting the account. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, boolean, email, password, resource, service } from '../../src/index.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { freshDatabase } from '../database.ts'
import { defineTasks } from '../features/webhooks/definition.ts'
import { startReceiver } from '../features/webhooks/receiver.ts'
import { follow } from '../requests/events/event-reader.ts'
import { admin, adminLogin, adminPassword, basic, serve, type TestService } from '../service.ts'
import { definitionOf, jwksServer, jwt } from './jwt-issuer.ts'
import { account, as, bearer, definition, pass } from './sample.ts'

const setDisabled = (s: TestService, { id }: { readonly id: string }, disabled: boolean) =>
  s.request(`PATCH /users/${id}`, admin, { disabled })

const browser = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }

async function signIn(s: TestService, login: string) {
  const form = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ login, password: pass }).toString()
  const reply = await s.request('POST /sign-in', form, body)
  const [cookie = ''] = reply.fields['set-cookie'] ?? []
  return { reply, fields: { ...browser, cookie: cookie.split(';')[0] ?? '' } }
}

test('a disabled account is 401 with password, token and session, until it is enabled again', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const token = bearer((await s.request('POST /tokens', as(ada), {})).json.token)
  const session = (await signIn(s, ada.login)).fields
  const callers = [as(ada), token, session]
  for (const caller of callers) assert.equal((await s.request('GET /articles', caller)).status, 200)
  const changed = await setDisabled(s, ada, true)
  assert.deepEqual([changed.status, changed.json.disabled], [200, true])
  for (const caller of callers) {
    assert.equal((await s.request('GET /articles', caller)).status, 401)
    assert.equal((await s.request('POST /articles', caller, { title: 'x' })).status, 401)
    assert.equal((await s.request('POST /tokens', caller, {})).status, 401)
  }
  assert.equal((await signIn(s, ada.login)).reply.status, 401)
  assert.equal((await setDisabled(s, ada, false)).status, 200)
  for (const caller of callers) assert.equal((await s.request('GET /articles', caller)).status, 200)
})

test('the response to a disabled account is the one to a wrong password, and it counts as one', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  await setDisabled(s, ada, true)
  const right = await s.request('GET /articles', as(ada))
  const wrong = await s.request('GET /articles', basic(ada.login, 'not the password'))
  const comparable = ({ status, fields, json }: typeof right) => {
    const { date: _date, 'request-id': _id, ...others } = fields
    return { status, fields: others, json: { ...json, instance: '' } }
  }
  assert.deepEqual(comparable(right), comparable(wrong))
  for (let attempt = 3; attempt <= 10; attempt += 1) {
    assert.equal((await s.request('GET /articles', as(ada))).status, 401)
  }
  assert.equal((await s.request('GET /articles', as(ada))).status, 429)
})

test('a JWT of a disabled account is 401, and binds nothing', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri, { login: 'email' }))
  const ada = await account(s.request, 'ada')
  await setDisabled(s, ada, true)
  const caller = bearer(await jwt({ claims: { email: ada.login, email_verified: true } }))
  assert.equal((await s.request('GET /articles', caller)).status, 401)
  await setDisabled(s, ada, false)
  // A binding would have voided the password.
  assert.equal((await s.request('GET /articles', as(ada))).status, 200)
  assert.equal((await s.request('GET /articles', caller)).status, 200)
  await setDisabled(s, ada, true)
  assert.equal((await s.request('GET /articles', caller)).status, 401)
})

test('event streams of a disabled account end', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const token = bearer((await s.request('POST /tokens', as(ada), {})).json.token)
  await using byPassword = await follow(s.port, '/articles', as(ada))
  await using byToken = await follow(s.port, '/articles', token)
  await setDisabled(s, ada, true)
  await byPassword.ended
  await byToken.ended
})

test('webhooks of a disabled account send nothing, and later only what happens after their owner activates them', async () => {
  await using others = await startReceiver()
  await using own = await startReceiver()
  await using s = await serve(defineTasks())
  const grace = basic('grace@example.org', adminPassword)
  const created = await s.request('POST /users', admin, {
    email: 'grace@example.org',
    password: adminPassword,
    roles: ['admin'],
  })
  assert.equal(created.status, 201, created.text)
  const events = ['tasks.created']
  assert.equal((await s.request('POST /webhooks', admin, { url: others.url, events })).status, 201)
  const webhook = await s.request('POST /webhooks', grace, { url: own.url, events })
  assert.equal(webhook.status, 201)
  await s.request('POST /tasks', admin, { title: 'One' })
  await own.reached(1)
  await setDisabled(s, created.json, true)
  await s.request('POST /tasks', admin, { title: 'Two' })
  await others.reached(2)
  await setDisabled(s, created.json, false)
  await s.request('POST /tasks', admin, { title: 'Three' })
  await others.reached(3)
  const merge = { ...grace, 'content-type': 'application/merge-patch+json' }
  assert.equal((await s.request(`PATCH ${webhook.fields.location}`, merge, { active: true })).status, 200)
  await s.request('POST /tasks', admin, { title: 'Four' })
  await own.reached(2)
  assert.deepEqual(
    own.received.map(({ json }) => json.data.item.title),
    ['One', 'Four'],
  )
})

test('only administrators see, filter by and set `disabled`', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const grace = await account(s.request, 'grace')
  await setDisabled(s, grace, true)
  const uri = `/users/${ada.id}`
  assert.equal((await s.request(`GET ${uri}`, admin)).json.disabled, false)
  assert.equal((await s.request(`GET ${uri}`, as(ada))).json.disabled, undefined)
  const refused = await s.request(`PATCH ${uri}`, as(ada), { disabled: true })
  assert.equal(refused.status, 422)
  assert.equal(refused.json.errors[0].pointer, '/disabled')
  const body = { email: 'new@example.org', name: 'New', password: 'a long password', disabled: false }
  assert.equal((await s.request('POST /users', {}, body)).status, 422)
  assert.equal((await s.request('GET /users?disabled=true', as(ada))).status, 400)
  const found = await s.request('GET /users?disabled=true', admin)
  assert.deepEqual(
    found.json.map(({ id }: { id: string }) => id),
    [grace.id],
  )
  // The owner replaces its account without the field, which keeps its value.
  const { json: own } = await s.request(`GET ${uri}`, as(ada))
  assert.equal((await s.request(`PUT ${uri}`, as(ada), { ...own, name: 'Countess' })).status, 200)
  assert.equal((await s.request(`GET ${uri}`, admin)).json.disabled, false)
})

test('access of a disabled account is not explained: 400 says that it is disabled', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  await setDisabled(s, ada, true)
  const reply = await s.request(`GET /users/${ada.id}/-/access?account=${ada.id}`, admin)
  assert.equal(reply.status, 400)
  assert.match(reply.json.detail, /disabled/)
})

test('the last enabled administrator cannot be disabled: 409 at its pointer', async () => {
  await using s = await serve(definition)
  const { json } = await s.request('GET /', admin)
  const own = json.links.account
  const refused = await s.request(`PATCH ${own}`, admin, { disabled: true })
  assert.equal(refused.status, 409)
  assert.equal(refused.json.errors[0].pointer, '/disabled')
  const grace = await account(s.request, 'grace', 'admin')
  await setDisabled(s, grace, true)
  // A disabled administrator does not count.
  assert.equal((await s.request(`PATCH ${own}`, admin, { disabled: true })).status, 409)
  assert.equal((await s.request(`PATCH ${own}`, admin, { role: 'member' })).status, 409)
  assert.equal((await s.request(`DELETE ${own}`, admin)).status, 409)
  await setDisabled(s, grace, false)
  assert.equal((await s.request(`PATCH ${own}`, admin, { disabled: true })).status, 200)
  assert.equal((await s.request(`GET ${own}`, admin)).status, 401)
})

test('the audit has `disabled` and `enabled`, with the administrator', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  await setDisabled(s, ada, true)
  await setDisabled(s, ada, true)
  await setDisabled(s, ada, false)
  const own = (await s.request('GET /', admin)).json.links.account
  for (const kind of ['disabled', 'enabled']) {
    const { json } = await s.request(`GET /audit?kind=${kind}`, admin)
    assert.deepEqual(
      json.map(({ item, actor }: Record<string, string>) => [item, `/users/${actor}`]),
      [[ada.id, own]],
    )
  }
})

const people = resource(
  { email: email().unique(), password: password({ min: 8 }) },
  { access: { read: anyone, create: anyone } },
)

test('a table of accounts without the column gets it at the start, and its accounts stay enabled', async () => {
  const database = await freshDatabase()
  const resources = { people }
  const body = { email: adminLogin, password: adminPassword }
  {
    // Without accounts the resource has no such column.
    await using s = await serve(service({ title: 'Before', resources }), { database })
    assert.equal((await s.request('POST /people', {}, body)).status, 201)
  }
  const accounts = { resource: 'people', login: 'email', password: 'password' } as const
  await using s = await serve(service({ title: 'After', accounts, resources }), { database })
  const { json } = await s.request('GET /people', admin)
  // Without roles there is no administrator who could see the field.
  assert.deepEqual(Object.keys(json[0]), ['id', 'email', 'createdAt', 'updatedAt'])
  assert.equal((await s.request('POST /tokens', admin, {})).status, 201)
})

test('a field `disabled` of the accounts is refused at the start', () => {
  const fields = { email: email().unique(), password: password(), disabled: boolean() }
  const accounts = { resource: 'people', login: 'email', password: 'password' } as const
  const declared = service({ title: 'Taken', accounts, resources: { people: resource(fields) } })
  assert.throws(() => checkDefinition(declared), /The name 'disabled' is reserved on accounts/)
})
