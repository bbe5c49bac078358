/**
 * Attacks with a limited token of an administrator: without a scope that says so it gives no role but the default, and takes
 * over no account (docs/reference/http/access.md, "Access": tokens).
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  action,
  choice,
  email,
  list,
  password,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
} from '../../../src/index.ts'
import { bearer } from '../../access/sample.ts'
import { eventually } from '../../eventually.ts'
import { admin, adminLogin, basic, type Reply, serve, type TestService } from '../../service.ts'
import { jobWhen } from '../logic/started-jobs.ts'
import { freePort, startMailServer } from '../mail/mail-server.ts'

const pass = 'long enough words'

const users = resource(
  {
    email: email().unique(),
    password: password({ min: 8 }),
    roles: list(choice(['admin', 'editor', 'member']))
      .default(['member'])
      .writableBy(role('admin')),
  },
  {
    access: { read: signedIn, create: role('admin'), update: [self, role('admin')], delete: role('admin') },
    history: { read: signedIn },
  },
)

const accounts = { resource: 'users', login: 'email', password: 'password', roles: 'roles' } as const
const mail = { from: 'service@example.org' }
const definition = service(
  { title: 'Roles', accounts, mail, webhooks: { by: signedIn }, resources: { users } },
  {
    users: {
      actions: {
        promote: action({
          by: role('admin'),
          run: (user, _, { users }) => users.patch(user.id, { roles: ['admin'] }),
        }),
        promoteLater: action({
          by: role('admin'),
          background: true,
          run: (user, _, { users }) => users.patch(user.id, { roles: ['admin'] }),
        }),
        rename: action({
          by: [self, role('admin')],
          input: { login: email() },
          run: (user, { login }, { users }) => users.patch(user.id, { email: login }),
        }),
        renameLater: action({
          by: [self, role('admin')],
          background: true,
          input: { login: email() },
          run: (user, { login }, { users }) => users.patch(user.id, { email: login }),
        }),
        setPasswordLater: action({
          by: [self, role('admin')],
          background: true,
          input: { secret: text() },
          run: (user, { secret }, { users }) => users.patch(user.id, { password: secret } as object),
        }),
        suspend: action({
          by: role('admin'),
          run: (user, _, { users }) => users.patch(user.id, { disabled: true } as object),
        }),
      },
    },
  },
)

async function tokenOf(s: TestService, ...scopes: string[]) {
  const made = await s.request('POST /tokens', admin, { scopes })
  assert.equal(made.status, 201, made.text)
  return bearer(made.json.token)
}

async function member(s: TestService, name = 'eve') {
  const login = `${name}@example.org`
  const made = await s.request('POST /users', admin, { email: login, password: pass })
  assert.equal(made.status, 201, made.text)
  return { ...basic(login, pass), uri: String(made.fields.location), id: made.json.id as string, login }
}

async function administrators(s: TestService): Promise<number> {
  const { json } = await s.request('GET /users', admin)
  return json.filter(({ roles }: { roles: string[] }) => roles.includes('admin')).length
}

const eve = { email: 'eve@example.org', password: pass, roles: ['admin'] }
const scopes = ['users:read', 'users:create', 'users:update', 'users:write', '*:create', '*:update']

test('no scope but users:grant and *:write makes an administrator, whatever the way', async () => {
  await using s = await serve(definition)
  const token = await tokenOf(s, ...scopes)
  const { uri } = await member(s, 'mallory')
  const patch = (type: string) => ({ ...token, 'content-type': `application/${type}` })
  const csv = 'email,password,roles\neve@example.org,long enough words,"[""admin""]"\n'
  const ways: readonly (readonly [string, object, unknown])[] = [
    ['POST /users', token, eve],
    ['POST /users', token, [eve]],
    ['POST /users', { ...token, 'content-type': 'text/csv' }, csv],
    [
      'POST /users',
      { ...token, 'content-type': 'application/x-www-form-urlencoded' },
      `email=eve@example.org&password=${pass}&roles[]=admin`,
    ],
    ['POST /batch', token, { requests: [{ method: 'PATCH', path: uri, body: { roles: ['admin'] } }] }],
    [`POST ${uri}/promote?dry-run=true`, token, {}],
    [`PATCH ${uri}`, patch('merge-patch+json'), { roles: ['admin'] }],
    [`PATCH ${uri}`, patch('json-patch+json'), [{ op: 'add', path: '/roles/-', value: 'admin' }]],
    [`PUT ${uri}`, token, { email: 'mallory@example.org', roles: ['admin'] }],
    [`POST ${uri}/promote`, token, {}],
    ['POST /invitations', token, { email: 'eve@example.org', role: 'admin' }],
  ]
  for (const [line, fields, body] of ways) {
    const reply = await s.request(line, { ...fields } as Record<string, string>, body)
    assert.ok(reply.status >= 400 && reply.status < 500, `${line} ${reply.status} ${reply.text}`)
  }
  assert.equal(await administrators(s), 1)
  assert.equal((await s.request('GET /users', admin)).json.length, 2, 'and no other account')
})

test('with users:grant, or with *:write, a token gives roles; users:create alone gives the default', async () => {
  await using s = await serve(definition)
  const usual = await s.request('POST /users', await tokenOf(s, 'users:create', 'users:read'), {
    email: 'ada@example.org',
    password: pass,
  })
  assert.deepEqual([usual.status, usual.json.roles], [201, ['member']])
  const granting = await tokenOf(s, 'users:create', 'users:update', 'users:read', 'users:grant')
  assert.equal((await s.request('POST /users', granting, eve)).status, 201)
  const { uri } = await member(s, 'bob')
  assert.equal((await s.request(`POST ${uri}/promote`, granting, {})).status, 200)
  const all = await tokenOf(s, '*:read', '*:write')
  const carl = { ...eve, email: 'carl@example.org' }
  assert.equal((await s.request('POST /users', all, carl)).status, 201)
  assert.equal(await administrators(s), 4)
})

test('an older version of an account is not restored with the role that it had', async () => {
  await using s = await serve(definition)
  const { uri } = await member(s)
  const merge = { ...admin, 'content-type': 'application/merge-patch+json' }
  await s.request(`PATCH ${uri}`, merge, { roles: ['admin'] })
  await s.request(`PATCH ${uri}`, merge, { roles: ['member'] })
  const [, former] = (await s.request(`GET ${uri}/history`, admin)).json
  const { roles } = (await s.request(`GET ${uri}/history/${former.version}`, admin)).json
  assert.deepEqual(roles, ['admin'])
  const token = await tokenOf(s, ...scopes)
  const { status } = await s.request(`PUT ${uri}`, token, { email: 'eve@example.org', roles })
  assert.equal(status, 422)
  assert.equal(await administrators(s), 1)
})

test('a background action of a token fails where it gives roles, also once the token is revoked', async () => {
  await using s = await serve(definition)
  const { uri } = await member(s)
  const start = async (...more: string[]) => {
    const made = await s.request('POST /tokens', admin, { scopes: ['users:read', 'users:update', ...more] })
    const job = await s.request(`POST ${uri}/promoteLater`, bearer(made.json.token), {})
    assert.equal(job.status, 202, job.text)
    await s.request(`DELETE ${made.fields.location}`, admin)
    return (await jobWhen(s, String(job.fields.location))).json.status
  }
  assert.equal(await start(), 'failed')
  assert.equal(await administrators(s), 1)
})

test('an action that disables an account stops its webhooks', async () => {
  await using s = await serve(definition)
  const { uri, ...ada } = await member(s)
  const merge = { ...admin, 'content-type': 'application/merge-patch+json' }
  const hook = { url: 'https://hooks.example/', events: ['users.*'] }
  const { location } = (await s.request('POST /webhooks', { authorization: ada.authorization }, hook)).fields
  assert.ok(location, 'a webhook')
  assert.equal((await s.request(`POST ${uri}/suspend`, admin, {})).status, 200)
  await s.request(`PATCH ${uri}`, merge, { disabled: false })
  assert.equal((await s.request(`GET ${location}`, { authorization: ada.authorization })).json.active, false)
})

test('an action names the missing scope (RFC 6750 §3.1)', async () => {
  await using s = await serve(definition)
  const { uri } = await member(s)
  const refused = await s.request(`POST ${uri}/promote`, await tokenOf(s, 'users:read', 'users:update'), {})
  assert.equal(refused.status, 403, refused.text)
  const challenge = 'Bearer error="insufficient_scope", scope="users:grant"'
  assert.equal(refused.fields['www-authenticate'], challenge)
})

test('users:update does not hand over another account by its password or its login', async () => {
  await using s = await serve(definition)
  const { uri, login } = await member(s)
  const token = await tokenOf(s, 'users:read', 'users:update')
  const merge = { ...token, 'content-type': 'application/merge-patch+json' }
  for (const change of [{ password: 'the attacker’s password' }, { email: 'attacker@example.org' }]) {
    const refused = await s.request(`PATCH ${uri}`, merge, change)
    assert.equal(refused.status, 403, refused.text)
    assert.match(String(refused.fields['www-authenticate']), /scope="users:grant"/)
  }
  assert.equal((await s.request('GET /users', basic(login, pass))).status, 200)
  const granting = await tokenOf(s, 'users:read', 'users:update', 'users:grant')
  const set = { ...granting, 'content-type': 'application/merge-patch+json' }
  assert.equal((await s.request(`PATCH ${uri}`, set, { password: 'another long one' })).status, 200)
})

test('no action hands over another account by its password or its login to a token without users:grant', async () => {
  await using s = await serve(definition)
  const boss = await s.request('POST /users', admin, { ...eve, email: 'boss@example.org' })
  const uri = String(boss.fields.location)
  const token = await tokenOf(s, 'users:read', 'users:update')
  const renamed = { login: 'attacker@example.org' }
  for (const way of ['rename', 'rename?dry-run=true']) {
    const refused = await s.request(`POST ${uri}/${way}`, token, renamed)
    assert.equal(refused.status, 403, refused.text)
    assert.match(String(refused.fields['www-authenticate']), /scope="users:grant"/)
  }
  const secret = 'the attacker’s password'
  const ended = async (caller: Record<string, string>, way: string, input: object) => {
    const job = await s.request(`POST ${uri}/${way}`, caller, input)
    assert.equal(job.status, 202, job.text)
    return (await jobWhen(s, String(job.fields.location))).json
  }
  for (const [way, input] of [
    ['renameLater', renamed],
    ['setPasswordLater', { secret }],
  ] as const) {
    const { status, problem } = await ended(token, way, input)
    assert.deepEqual([status, problem.status], ['failed', 403], way)
    assert.match(problem.detail, /users:grant/)
  }
  assert.equal((await s.request('GET /users', basic('boss@example.org', pass))).status, 200)
  const granting = await tokenOf(s, 'users:read', 'users:update', 'users:grant')
  assert.equal((await ended(granting, 'setPasswordLater', { secret })).status, 'done')
  assert.equal((await s.request('GET /users', basic('boss@example.org', secret))).status, 200)
  assert.equal((await s.request(`POST ${uri}/rename`, granting, renamed)).status, 200)
})

test('an action changes the password or login of the own account with Basic, not with a token', async () => {
  await using s = await serve(definition)
  const { uri, authorization } = await member(s)
  const made = await s.request('POST /tokens', { authorization }, {})
  const renamed = { login: 'ada@example.org' }
  const refused = await s.request(`POST ${uri}/rename`, bearer(made.json.token), renamed)
  assert.equal(refused.status, 403, refused.text)
  assert.match(
    refused.json.detail,
    /^A token or a JWT cannot change the password or login of its own account/,
  )
  const job = await s.request(`POST ${uri}/setPasswordLater`, bearer(made.json.token), {
    secret: 'stolen words',
  })
  const { problem } = (await jobWhen(s, String(job.fields.location))).json
  assert.deepEqual([problem.status, problem.detail], [403, refused.json.detail])
  const own = await s.request(`POST ${uri}/rename`, { authorization }, renamed)
  assert.deepEqual([own.status, own.json.email], [200, renamed.login])
})

test('a token without users:grant makes no token with it, nor one with *:write', async () => {
  await using s = await serve(definition)
  const token = await tokenOf(s, 'tokens:create', '*:create', '*:update', '*:delete', '*:read')
  for (const scope of ['users:grant', '*:write']) {
    const refused = await s.request('POST /tokens', token, { scopes: [scope] })
    assert.equal(refused.status, 403, scope)
  }
  assert.equal((await s.request('POST /tokens', token, { scopes: ['users:write'] })).status, 201)
  const granting = await tokenOf(s, 'tokens:create', 'users:grant')
  assert.equal((await s.request('POST /tokens', granting, { scopes: ['users:grant'] })).status, 201)
})

test('forms of a token without users:grant have no roles; those of the administrator do', async () => {
  await using s = await serve(definition)
  const names = async (caller: Record<string, string>) => {
    const reply = await s.request('GET /users', { ...caller, accept: 'application/prs.hal-forms+json' })
    return reply.json._templates.default.properties.map(({ name }: { name: string }) => name)
  }
  assert.ok((await names(admin)).includes('roles'))
  assert.ok(!(await names(await tokenOf(s, 'users:read', 'users:create'))).includes('roles'))
  const page = await s.request('GET /forms/tokens', { ...admin, accept: 'text/html' })
  assert.match(page.text, /value="users:grant"/)
  assert.doesNotMatch(page.text, /value="tokens:grant"/)
})

test('an invitation of a token gives the default role, and ends with the token', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl: 'https://roles.example', mail: mails.url })
  const made = await s.request('POST /tokens', admin, { scopes: ['invitations:create', 'invitations:read'] })
  const token = bearer(made.json.token)
  const invite = (caller: Record<string, string>, name: string, more: object = {}) =>
    s.request('POST /invitations', caller, { email: `${name}@example.org`, ...more })
  const refused = await invite(token, 'eve', { role: 'editor' })
  assert.equal(refused.status, 403, refused.text)
  assert.equal((await invite(token, 'eve')).status, 201)
  await mails.reached(1)
  const uri = (reached: number) => `/invitations/${mails.received[reached]?.secrets[0]}`
  assert.equal((await s.request(`GET ${uri(0)}`)).status, 200)
  const accept = (reached: number): Promise<Reply> =>
    s.request(`POST ${uri(reached)}`, {}, { password: pass })
  assert.equal((await accept(0)).status, 204)
  assert.deepEqual((await s.request('GET /users', basic('eve@example.org', pass))).status, 200)
  assert.equal((await invite(token, 'fred')).status, 201)
  await mails.reached(2)
  assert.equal((await s.request(`DELETE ${made.fields.location}`, admin)).status, 204)
  assert.deepEqual([(await s.request(`GET ${uri(1)}`)).status, (await accept(1)).status], [404, 404])
})

test('an invitation that waits for the mail server is not sent once its token is revoked', async () => {
  const port = await freePort()
  const options = { publicUrl: 'https://roles.example', mail: `smtp://127.0.0.1:${port}` }
  await using s = await serve(definition, options)
  const made = await s.request('POST /tokens', admin, { scopes: ['invitations:create'] })
  const invited = { email: 'eve@example.org' }
  assert.equal((await s.request('POST /invitations', bearer(made.json.token), invited)).status, 201)
  await eventually(() => s.observations.some(({ kind }) => kind === 'task-failed'))
  assert.equal((await s.request(`DELETE ${made.fields.location}`, admin)).status, 204)
  await using mails = await startMailServer({ port })
  s.advance(3_600_000)
  for (const count of [1, 2]) {
    await s.request('POST /password-resets', {}, { login: adminLogin })
    await mails.reached(count)
  }
  assert.deepEqual(new Set(mails.received.flatMap(({ to }) => to)), new Set([adminLogin]))
})
