/** The service always has at least one administrator, however accounts are changed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  choice,
  email,
  list,
  openService,
  password,
  ref,
  resource,
  role,
  service,
  text,
} from '../../src/index.ts'
import { freshDatabase } from '../database.ts'
import { admin, adminLogin, adminPassword, basic, type SendRequest, serve } from '../service.ts'
import { account, as, definition } from './sample.ts'

async function ownUri(request: SendRequest, caller: Record<string, string>): Promise<string> {
  const { json } = await request('GET /', caller)
  return json.links.account
}

test('the last administrator cannot give up its role or its account: 409 (RFC 9110 §15.5.10)', async () => {
  await using s = await serve(definition)
  const own = await ownUri(s.request, admin)
  const { json: item } = await s.request(`GET ${own}`, admin)
  const patch = { ...admin, 'content-type': 'application/json-patch+json' }
  const form = { ...admin, 'content-type': 'application/x-www-form-urlencoded' }
  const xml = { ...admin, 'content-type': 'application/xml' }
  const demoted = { ...item, role: 'member' }
  for (const [line, fields, body] of [
    [`PATCH ${own}`, admin, { role: 'member' }],
    [`PUT ${own}`, admin, demoted],
    [`PATCH ${own}`, patch, JSON.stringify([{ op: 'replace', path: '/role', value: 'editor' }])],
    [`PATCH ${own}`, xml, '<users><role>member</role></users>'],
    [`POST /forms${own}?method=PATCH`, form, 'role=member'],
    [`POST /forms${own}?method=DELETE`, form, ''],
    [`DELETE ${own}`, admin, undefined],
  ] as const) {
    const refused = await s.request(line, fields, body)
    assert.equal(refused.status, 409, `${line} ${refused.text}`)
    assert.match(refused.text, /last account with the role/, line)
  }
  const refused = await s.request(`PATCH ${own}`, admin, { role: 'member' })
  assert.equal(refused.json.type, '/problems/state-conflict')
  assert.equal(refused.json.errors[0].pointer, '/role')
  // A DELETE has no content whose place could be named.
  assert.equal((await s.request(`DELETE ${own}`, admin)).json.errors, undefined)
  assert.deepEqual((await s.request(`GET ${own}`, admin)).json, item)
  assert.equal((await s.request(`PATCH ${own}`, admin, { name: 'Root' })).status, 200)
})

test('with another administrator the role can be removed, and the account deleted', async () => {
  await using s = await serve(definition)
  const own = await ownUri(s.request, admin)
  const grace = await account(s.request, 'grace', 'admin')
  const ada = await account(s.request, 'ada', 'admin')
  assert.equal((await s.request(`PATCH ${own}`, admin, { role: 'member' })).status, 200)
  assert.equal((await s.request(`DELETE /users/${ada.id}`, as(ada))).status, 204)
  assert.equal((await s.request(`DELETE /users/${grace.id}`, as(grace))).status, 409)
})

test('of administrators who demote each other concurrently one remains', async () => {
  for (const line of ['PATCH', 'DELETE']) {
    await using s = await serve(definition)
    const own = await ownUri(s.request, admin)
    const grace = await account(s.request, 'grace', 'admin')
    const body = line === 'PATCH' ? { role: 'member' } : undefined
    const replies = await Promise.all([
      s.request(`${line} ${own}`, as(grace), body),
      s.request(`${line} /users/${grace.id}`, admin, body),
    ])
    const statuses = replies.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [line === 'PATCH' ? 200 : 204, 409])
  }
})

test('nothing is offered that would leave no administrator', async () => {
  await using s = await serve(definition)
  const own = await ownUri(s.request, admin)
  const show = async () => {
    const fields = { ...admin, accept: 'application/prs.hal-forms+json' }
    return (await s.request(`GET ${own}`, fields)).json._templates
  }
  const alone = await show()
  assert.equal(alone.delete, undefined)
  const property = alone.default.properties.find(({ name }: { name: string }) => name === 'role')
  assert.equal(property.readOnly, true)
  assert.equal(property.value, 'admin')
  await account(s.request, 'grace', 'admin')
  assert.ok((await show()).delete)
})

const everyone = {
  read: anyone,
  create: role('admin'),
  update: role('admin'),
  delete: role('admin'),
}
const teams = service({
  title: 'Teams',
  accounts: { resource: 'people', login: 'email', password: 'password', roles: 'roles' },
  resources: {
    offices: resource({ name: text() }, { access: everyone }),
    teams: resource(
      { name: text(), office: ref('offices', { onDelete: 'cascade' }).optional() },
      { access: everyone },
    ),
    people: resource(
      {
        email: email().unique(),
        password: password(),
        roles: list(choice(['admin', 'member']))
          .default(['member'])
          .writableBy(role('admin')),
        team: ref('teams', { onDelete: 'cascade' }).optional(),
      },
      { access: everyone },
    ),
  },
})

test('a deletion that would also delete the last administrator is refused, also with a list of roles', async () => {
  await using s = await serve(teams)
  const own = await ownUri(s.request, admin)
  const office = (await s.request('POST /offices', admin, { name: 'o' })).json.id
  const team = (await s.request('POST /teams', admin, { name: 't', office })).json.id
  assert.equal((await s.request(`PATCH ${own}`, admin, { team })).status, 200)
  assert.equal((await s.request(`PATCH ${own}`, admin, { roles: ['member'] })).status, 409)
  assert.equal((await s.request(`DELETE /teams/${team}`, admin)).status, 409)
  assert.equal((await s.request(`DELETE /offices/${office}`, admin)).status, 409)
  const fields = { ...admin, accept: 'application/prs.hal-forms+json' }
  const { json } = await s.request(`GET /offices/${office}`, fields)
  assert.equal(json._templates.delete, undefined)
  const other = { email: 'o@example.org', password: 'another one', roles: ['member', 'admin'] }
  assert.equal((await s.request('POST /people', admin, other)).status, 201)
  assert.equal((await s.request(`DELETE /offices/${office}`, admin)).status, 204)
  assert.equal((await s.request('GET /people', basic(adminLogin, adminPassword))).status, 401)
})

test('where no account is an administrator, a deletion that may delete accounts is not refused', async () => {
  const open = { read: anyone, create: anyone, delete: anyone }
  const definition = service({
    title: 'Teams',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: {
      teams: resource({ name: text() }, { access: open }),
      people: resource({
        email: email().unique(),
        password: password(),
        role: choice(['admin', 'member']).default('member').readOnly(),
        team: ref('teams', { onDelete: 'cascade' }).optional(),
      }),
    },
  })
  await using opened = await openService(definition, { database: await freshDatabase(), rate: 'off' })
  const send = (method: string, path: string, body?: string) =>
    opened.handle(
      new Request(`http://localhost${path}`, {
        method,
        ...(body && { body, headers: { 'content-type': 'application/json' } }),
      }),
    )
  const created = await send('POST', '/teams', '{"name":"t"}')
  assert.equal(created.status, 201)
  assert.equal((await send('DELETE', created.headers.get('location') ?? '')).status, 204)
})
