/** Invitations by mail (docs/reference/http/accounts.md, "Invitations"). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from '../../../src/client.ts'
import { choice, email, list, password, resource, role, self, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { bearer } from '../../access/sample.ts'
import { admin, basic, serve, type TestService } from '../../service.ts'
import { startMailServer } from './mail-server.ts'

const publicUrl = 'https://people.example'
const mail = { from: 'service@example.org' }
const pass = 'the right password'
const ada = 'ada@example.org'
const editor = basic('editor@example.org', pass)
const form = {
  accept: 'text/html',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
}

/** A service by invitation only: nobody can sign up. */
const members = resource(
  {
    email: email().unique(),
    name: text({ max: 100 }),
    handle: text({ max: 40 }).unique().optional(),
    password: password({ min: 8 }),
    rank: text({ max: 40 }).default('new').writableBy(role('admin')),
    role: choice(['member', 'editor', 'admin']).default('member').writableBy(role('admin')),
  },
  {
    access: {
      read: role('member', 'editor', 'admin'),
      create: role('admin'),
      update: [self, role('admin')],
      delete: role('admin'),
    },
  },
)
const accounts = { resource: 'members', login: 'email', password: 'password', roles: 'role' } as const
const invitations = { by: role('admin', 'editor') }
const definition = service({ title: 'Club', accounts, mail, invitations, resources: { members } })

async function serveClub(options: { readonly mail?: string } = {}) {
  const s = await serve(definition, { publicUrl, ...options })
  const account = { email: 'editor@example.org', name: 'Ed', password: pass, role: 'editor' }
  const created = await s.request('POST /members', admin, account)
  assert.equal(created.status, 201, created.text)
  return Object.assign(s, { editorId: created.json.id as string })
}

const invite = (s: TestService, caller: Record<string, string>, body: object) =>
  s.request('POST /invitations', caller, body)

test('an accepted invitation creates an account with its role, the chosen password and a proven address', async () => {
  await using mails = await startMailServer()
  await using s = await serveClub({ mail: mails.url })
  const made = await invite(s, admin, { email: 'Ada@Example.org', role: 'editor' })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(
    [made.json.email, made.json.role, made.fields.location],
    [ada, 'editor', `/invitations/${made.json.id}`],
  )
  await mails.reached(1)
  assert.deepEqual(mails.received[0]?.to, [ada])
  const [secret = ''] = mails.received[0]?.secrets ?? []
  assert.ok(!JSON.stringify(made.json).includes(secret))
  const uri = `/invitations/${secret}`
  const page = await s.request(`GET ${uri}`, { accept: 'text/html' })
  assert.deepEqual(
    [page.status, page.fields['cache-control'], page.fields['referrer-policy']],
    [200, 'no-store', 'no-referrer'],
  )
  assert.ok(!page.text.includes(secret) && page.text.includes('name="name"') && page.text.includes(ada))
  assert.ok(
    !page.text.includes('name="role"') &&
      !page.text.includes('name="rank"') &&
      !page.text.includes('name="email"'),
  )
  const post = (body: object) => s.request(`POST ${uri}`, {}, body)
  assert.equal((await post({ name: 'Ada' })).json.errors[0].pointer, '/password')
  assert.equal((await post({ password: pass })).json.errors[0].pointer, '/name')
  assert.equal((await post({ name: 'Ada', password: 'short' })).json.errors[0].pointer, '/password')
  for (const more of [
    { role: 'admin' },
    { email: 'eve@example.org' },
    { rank: 'old' },
    { disabled: false },
    { x: 1 },
  ]) {
    assert.equal((await post({ name: 'Ada', password: pass, ...more })).status, 422, JSON.stringify(more))
  }
  for (const secret of ['x', uri.slice(-42), `${uri.slice(13)}x`]) {
    const unknown = await s.request(`POST /invitations/${secret}`, {}, { name: 'Ada', password: pass })
    assert.equal(unknown.status, 404, secret)
    assert.equal((await s.request(`GET /invitations/${secret}`)).status, 404, secret)
  }
  assert.equal((await s.request('DELETE /invitations/x', admin)).status, 404)
  assert.equal((await s.request(`PUT ${uri}`, {}, {})).status, 405)
  assert.equal((await s.request(`POST ${uri}`, { ...form, 'sec-fetch-site': 'cross-site' }, '')).status, 403)
  const done = await s.request(
    `POST ${uri}`,
    form,
    new URLSearchParams({ name: 'Ada', password: pass, handle: '' }).toString(),
  )
  assert.deepEqual([done.status, done.fields.location], [303, '/sign-in'])
  const [own] = (await s.request(`GET /members?email=${ada}`, basic(ada, pass))).json
  assert.deepEqual([own.role, own.name, own.rank], ['editor', 'Ada', 'new'])
  assert.equal((await post({ name: 'Ada', password: pass })).status, 404)
  assert.equal((await s.request(`GET ${uri}`)).status, 404)
  assert.deepEqual((await s.request('GET /invitations', admin)).json, [])
  assert.equal(await s.service.store.count('account_credentials', { kind: 'always' }), 1)
  assert.ok(!JSON.stringify(s.observations).includes(secret))
})

test('only administrators give their role; others give the usual one and their own', async () => {
  await using s = await serveClub()
  const status = async (caller: Record<string, string>, given: string, login = `${given}@example.org`) =>
    (await invite(s, caller, { email: login, role: given })).status
  assert.equal(await status(editor, 'admin'), 403)
  assert.equal(await status(editor, 'editor', 'second@example.org'), 201)
  assert.equal(await status(editor, 'member'), 201)
  assert.equal(await status(admin, 'admin', 'root@example.org'), 201)
  assert.equal(await status(admin, 'unknown'), 422)
  assert.equal((await invite(s, admin, { email: 'no address' })).status, 422)
  assert.equal((await invite(s, admin, {})).status, 422)
  assert.equal((await invite(s, admin, { email: ada, expiresAt: '2030-01-01T00:00:00.000Z' })).status, 422)
  assert.equal((await invite(s, editor, { email: ada })).json.role, 'member')
  assert.equal((await invite(s, {}, { email: ada })).status, 401)
  await s.request('POST /members', admin, { email: 'm@example.org', name: 'M', password: pass })
  assert.equal((await invite(s, basic('m@example.org', pass), { email: 'x@example.org' })).status, 403)
  const taken = await invite(s, admin, { email: 'm@example.org' })
  assert.deepEqual([taken.status, taken.json.errors[0].pointer], [409, '/email'])
  // A token has the scopes of the collection.
  const token = async (scope: string) =>
    bearer((await s.request('POST /tokens', editor, { scopes: [scope] })).json.token)
  assert.equal((await invite(s, await token('members:read'), { email: 'y@example.org' })).status, 403)
  assert.equal((await invite(s, await token('invitations:create'), { email: 'y@example.org' })).status, 201)
})

test('inviters see and revoke their own invitations, administrators all, in every format', async () => {
  await using mails = await startMailServer()
  await using s = await serveClub({ mail: mails.url })
  const first = (await invite(s, admin, { email: 'one@example.org' })).json
  await mails.reached(1)
  const second = (await invite(s, editor, { email: 'two@example.org' })).json
  await mails.reached(2)
  const ids = async (caller: Record<string, string>) =>
    (await s.request('GET /invitations', caller)).json.map(({ id }: { id: string }) => id)
  assert.deepEqual(await ids(admin), [first.id, second.id])
  assert.deepEqual(await ids(editor), [second.id])
  assert.equal((await s.request(`GET /invitations/${first.id}`, editor)).status, 404)
  for (const format of ['xml', 'hal', 'csv', 'ndjson', 'html']) {
    const reply = await s.request(`GET /invitations?format=${format}`, admin)
    assert.equal(reply.status, 200)
    assert.match(reply.text, /two@example\.org/)
  }
  assert.match((await s.request('GET /', admin)).text, /"invitations":"\/invitations"/)
  const paths = Object.keys((await s.request('GET /openapi.json', admin)).json.paths)
  assert.deepEqual(
    paths.filter((path) => path.startsWith('/invitations')),
    ['/invitations', '/invitations/-/aggregate', '/invitations/{id}'],
  )
  const api = client<typeof definition>(s.url, { authorization: admin.authorization })
  const third = await api.invitations.create({ email: 'three@example.org', role: 'member' })
  await mails.reached(3)
  await api.invitations.remove(third.id)
  assert.equal((await s.request(`DELETE /invitations/${first.id}`, editor)).status, 404)
  assert.equal((await s.request(`DELETE /invitations/${second.id}`, editor)).status, 204)
  const links = mails.received.map(({ secrets }) => `/invitations/${secrets[0]}`)
  const statuses = await Promise.all(links.map(async (uri) => (await s.request(`GET ${uri}`)).status))
  assert.deepEqual(statuses, [200, 404, 404])
  assert.equal((await s.request(`POST ${links[1]}`, {}, { name: 'Two', password: pass })).status, 404)
})

test('of 20 concurrent uses exactly one succeeds; a link ends after seven days', async () => {
  await using mails = await startMailServer()
  await using s = await serveClub({ mail: mails.url })
  const began = Date.now()
  await invite(s, admin, { email: ada })
  await mails.reached(1)
  const uri = `/invitations/${mails.received[0]?.secrets[0]}`
  const passed = Date.now() - began
  s.advance(7 * 86_400_000 - passed - 60_000)
  assert.equal((await s.request(`GET ${uri}`)).status, 200)
  const uses = Array.from({ length: 20 }, (_, at) =>
    s.request(`POST ${uri}`, {}, { name: `Ada ${at}`, password: pass }),
  )
  const statuses = (await Promise.all(uses)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 204).length, 1)
  // More hashes than one address may wait for are 429.
  assert.ok(
    statuses.every((status) => [204, 404, 429].includes(status)),
    statuses.join(),
  )
  await invite(s, admin, { email: 'late@example.org' })
  await mails.reached(2)
  s.advance(7 * 86_400_000)
  const late = `/invitations/${mails.received[1]?.secrets[0]}`
  assert.equal((await s.request(`POST ${late}`, {}, { name: 'Late', password: pass })).status, 404)
})

test('an invitation ends with the right of its inviter; a fourth invitation of an address is sent too', async () => {
  await using mails = await startMailServer()
  await using s = await serveClub({ mail: mails.url })
  await invite(s, editor, { email: ada, role: 'editor' })
  await mails.reached(1)
  const uri = `/invitations/${mails.received[0]?.secrets[0]}`
  await s.request(`PATCH /members/${s.editorId}`, admin, { role: 'member' })
  assert.equal((await s.request(`GET ${uri}`)).status, 404)
  await s.request(`PATCH /members/${s.editorId}`, admin, { role: 'editor' })
  assert.equal((await s.request(`GET ${uri}`)).status, 200)
  await s.request(`PATCH /members/${s.editorId}`, admin, { disabled: true })
  assert.equal((await s.request(`GET ${uri}`)).status, 404)
  assert.equal((await invite(s, admin, { email: ada })).status, 201)
  assert.equal((await invite(s, admin, { email: ada })).status, 201)
  assert.equal((await invite(s, admin, { email: ada })).status, 201)
  // Its own link still works.
  await mails.reached(4)
  const second = `/invitations/${mails.received[1]?.secrets[0]}`
  assert.equal((await s.request(`GET ${second}`)).status, 200)
  assert.equal(
    (await s.request('POST /invitations?dry-run=true', admin, { email: 'dry@example.org' })).status,
    200,
  )
  assert.equal((await s.request('GET /invitations?email=dry@example.org', admin)).json.length, 0)
})

test('pre-hijacking: an address that gets an account meanwhile stays with it, and a taken value is 409', async () => {
  await using mails = await startMailServer()
  await using s = await serveClub({ mail: mails.url })
  await invite(s, admin, { email: ada, role: 'editor' })
  await mails.reached(1)
  const uri = `/invitations/${mails.received[0]?.secrets[0]}`
  await s.request('POST /members', admin, { email: 'b@example.org', name: 'B', handle: 'b', password: pass })
  const taken = await s.request(`POST ${uri}`, {}, { name: 'Ada', handle: 'b', password: pass })
  assert.deepEqual([taken.status, taken.json.errors[0].pointer], [409, '/handle'])
  await s.request('POST /members', admin, { email: ada, name: 'Ada', password: 'her own password' })
  assert.equal((await s.request(`POST ${uri}`, {}, { name: 'Eve', password: pass })).status, 404)
  assert.equal((await s.request('GET /members', basic(ada, pass))).status, 401)
})

test('the path can be moved, roles can be lists, and accounts can have none', async () => {
  await using mails = await startMailServer()
  const staff = resource(
    {
      email: email().unique(),
      password: password(),
      roles: list(choice(['reader', 'admin']))
        .default([])
        .writableBy(role('admin')),
    },
    { access: { read: role('reader', 'admin'), create: role('admin'), update: self } },
  )
  const moved = service({
    title: 'Staff',
    accounts: { ...accounts, resource: 'staff', roles: 'roles' },
    mail,
    paths: { invitations: 'invites' },
    resources: { staff, invitations: resource({ title: text() }, { access: { read: role('reader') } }) },
  })
  await using s = await serve(moved, { publicUrl, mail: mails.url })
  const made = await s.request('POST /invites', admin, { email: ada, role: 'reader' })
  assert.equal(made.status, 201, made.text)
  assert.equal(
    (await s.request('POST /invites', admin, { email: 'b@example.org' })).status,
    422,
    'no role is usual',
  )
  await mails.reached(1)
  const uri = `/invites/${mails.received[0]?.secrets[0]}`
  assert.equal((await s.request(`POST ${uri}`, {}, { password: pass })).status, 204)
  assert.deepEqual((await s.request('GET /staff', basic(ada, pass))).json[1].roles, ['reader'])
})

test('invitations need accounts and mail, and their path is reserved with mail', () => {
  const refused = (options: object, reason: RegExp) =>
    assert.throws(() => checkDefinition(service({ title: 'Club', ...options } as never)), reason)
  refused({ accounts, invitations: {}, resources: { members } }, /invitations: Invitations need mail/)
  const notes = resource({ title: text() })
  refused({ invitations: {}, resources: { notes } }, /invitations: Invitations need accounts/)
  refused({ accounts, mail, invitations: { to: 1 }, resources: { members } }, /Unknown option 'to'/)
  refused(
    { accounts, mail, resources: { members, invitations: notes } },
    /The path \/invitations is reserved: the definition declares mail/,
  )
  assert.ok(checkDefinition(service({ title: 'Club', accounts, resources: { members, invitations: notes } })))
})
