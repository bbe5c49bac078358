/** Changing one's own password or login: only with the current password, and by nothing less. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefinitionFault } from '../../../src/definition/definition-fault.ts'
import { email, password, resource, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { account, as, bearer, definition, pass } from '../../access/sample.ts'
import { admin, adminLogin, adminPassword, basic, type SendRequest, serve } from '../../service.ts'

const page = { accept: 'text/html', host: 'localhost', 'sec-fetch-site': 'same-origin' }
const formed = { ...page, 'content-type': 'application/x-www-form-urlencoded' }
const fresh = 'another password'

async function signIn(request: SendRequest, login: string, secret = pass) {
  const reply = await request('POST /sign-in', formed, encoded({ login, password: secret }))
  assert.equal(reply.status, 303, reply.text)
  const [line = ''] = reply.fields['set-cookie'] ?? []
  return { cookie: line.split(';')[0] ?? '' }
}

function encoded(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString()
}

function pointersOf({ json }: Awaited<ReturnType<SendRequest>>): readonly string[] {
  return json.errors.map(({ pointer }: { pointer: string }) => pointer)
}

test('one’s own password or login changes only with the current password', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const own = `/users/${ada.id}`
  for (const change of [{ password: fresh }, { email: 'new@example.org' }]) {
    for (const currentPassword of [undefined, null, '', 'wrong', 5]) {
      const refused = await s.request(`PATCH ${own}`, as(ada), { ...change, currentPassword })
      assert.equal(refused.status, 422, refused.text)
      assert.deepEqual(pointersOf(refused), ['/currentPassword'])
    }
    s.advance(61_000)
  }
  const login = await s.request(`PATCH ${own}`, as(ada), {
    email: 'new@example.org',
    currentPassword: pass,
  })
  assert.equal(login.status, 200, login.text)
  assert.equal(login.json.currentPassword, undefined)
  const renamed = basic('new@example.org', pass)
  const changed = await s.request(`PATCH ${own}`, renamed, { password: fresh, currentPassword: pass })
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await s.request('GET /tokens', renamed)).status, 401)
  assert.equal((await s.request('GET /tokens', basic('new@example.org', fresh))).status, 200)
})

test('every method of writing accepts and requires currentPassword', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const own = `/users/${ada.id}`
  const type = (name: string) => ({ ...as(ada), 'content-type': name })
  const content = { email: ada.login, name: 'Ada' }
  const operations = (...members: [string, string][]) =>
    JSON.stringify(members.map(([name, value]) => ({ op: 'add', path: `/${name}`, value })))
  const xml = (inner: string) => `<users>${inner}</users>`
  for (const [line, fields, without, proof] of [
    [`PATCH ${own}`, as(ada), { password: fresh }, { password: pass, currentPassword: pass }],
    [
      `PUT ${own}`,
      as(ada),
      { ...content, password: fresh },
      { ...content, password: pass, currentPassword: pass },
    ],
    [
      `PATCH ${own}`,
      type('application/json-patch+json'),
      operations(['password', fresh]),
      operations(['password', pass], ['currentPassword', pass]),
    ],
    [
      `PATCH ${own}`,
      type('application/xml'),
      xml(`<password>${fresh}</password>`),
      xml(`<password>${pass}</password><currentPassword>${pass}</currentPassword>`),
    ],
    [
      `PATCH ${own}`,
      type('application/x-www-form-urlencoded'),
      encoded({ password: fresh, currentPassword: '' }),
      encoded({ password: pass, currentPassword: pass }),
    ],
  ] as const) {
    const refused = await s.request(line, fields, without)
    assert.equal(refused.status, 422, `${line} ${refused.text}`)
    assert.deepEqual(pointersOf(refused), ['/currentPassword'], line)
    const done = await s.request(line, fields, proof)
    assert.equal(done.status, 200, `${line} ${done.text}`)
  }
  const name = await s.request(`PUT ${own}`, as(ada), { ...content, name: 'Ada L' })
  assert.equal(name.status, 200, 'what is no credential needs no proof')
})

test('a token or a JWT in Authorization never changes its owner’s password or login: 403', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const own = `/users/${ada.id}`
  const narrow = await s.request('POST /tokens', as(ada), { scopes: ['users:update'], expiresIn: 60 })
  const token = bearer(narrow.json.token)
  const session = await signIn(s.request, ada.login)
  const secret = bearer(session.cookie.split('=')[1] ?? '')
  const smuggled = { ...page, cookie: `restwell=${narrow.json.token}` }
  for (const caller of [token, secret, smuggled]) {
    for (const change of [{ password: fresh }, { email: 'new@example.org' }]) {
      const refused = await s.request(`PATCH ${own}`, caller, { ...change, currentPassword: pass })
      assert.equal(refused.status, 403, refused.text)
    }
    assert.ok([200, 204].includes((await s.request(`PATCH ${own}`, caller, { name: 'Ada' })).status))
  }
  assert.equal((await s.request('GET /tokens', as(ada))).status, 200)
})

test('administrators set the passwords of others without it, and their own with it', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const root = (await s.request('GET /', admin)).json.links.account
  const set = await s.request(`PATCH /users/${ada.id}`, admin, { password: fresh })
  assert.equal(set.status, 200, set.text)
  assert.equal((await s.request('GET /tokens', basic(ada.login, fresh))).status, 200)
  const stray = await s.request(`PATCH /users/${ada.id}`, admin, {
    name: 'x',
    currentPassword: adminPassword,
  })
  assert.deepEqual(pointersOf(stray), ['/currentPassword'], 'no such field on another’s account')
  assert.equal((await s.request(`PATCH ${root}`, admin, { password: fresh })).status, 422)
  const proven = { password: fresh, currentPassword: adminPassword }
  assert.equal((await s.request(`PATCH ${root}`, admin, proven)).status, 200)
})

test('a missing or wrong currentPassword counts as a failed password: 429 after ten (RFC 6585 §4)', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const session = { ...page, accept: 'application/json', ...(await signIn(s.request, ada.login)) }
  const attempt = (currentPassword?: string) =>
    s.request(`PATCH /users/${ada.id}`, session, { password: fresh, currentPassword })
  for (let failed = 0; failed < 10; failed += 1) {
    assert.equal((await attempt(failed % 2 === 0 ? 'wrong one' : undefined)).status, 422)
  }
  const refused = await attempt(pass)
  assert.equal(refused.status, 429)
  assert.match(String(refused.fields['retry-after']), /^\d+$/)
  assert.equal((await s.request('GET /tokens', basic(ada.login, 'wrong too'))).status, 429)
  s.advance(61_000)
  assert.equal((await attempt(pass)).status, 200)
})

test('changing one’s own login continues this session and ends the others', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const [own, other] = [await signIn(s.request, ada.login), await signIn(s.request, ada.login)]
  const change = { email: 'new@example.org', currentPassword: pass }
  const json = { ...page, accept: 'application/json', ...own }
  assert.equal((await s.request(`PATCH /users/${ada.id}`, json, change)).status, 200)
  assert.equal((await s.request('GET /tokens', { ...page, ...own })).status, 200)
  assert.equal((await s.request('GET /tokens', { ...page, ...other })).status, 401)
})

test('changing one’s own password continues this session and ends the others', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const [here, elsewhere] = [await signIn(s.request, ada.login), await signIn(s.request, ada.login)]
  const token = bearer((await s.request('POST /tokens', as(ada), {})).json.token)
  const shown = await s.request(`GET /forms/users/${ada.id}`, { ...page, ...here })
  const action = /action="(\/forms\/users\/[^"]*method=(?:PUT|PATCH)[^"]*)"/.exec(shown.text)?.[1] ?? ''
  assert.match(shown.text, /name="currentPassword" type="password" autocomplete="current-password"/)
  const values = { email: ada.login, name: 'Ada', password: fresh }
  const line = `POST ${action.replaceAll('&amp;', '&')}`
  const missing = await s.request(line, { ...formed, ...here }, encoded({ ...values, currentPassword: '' }))
  assert.equal(missing.status, 422)
  assert.match(missing.text, /id="form-currentPassword-fault"/)
  const wrong = encoded({ ...values, currentPassword: 'not my password' })
  const refused = await s.request(line, { ...formed, ...here }, wrong)
  assert.equal(refused.status, 422)
  assert.ok(!refused.text.includes('not my password'))
  const proven = encoded({ ...values, currentPassword: pass })
  const changed = await s.request(line, { ...formed, ...here }, proven)
  assert.equal(changed.status, 303, changed.text)
  assert.equal((await s.request('GET /tokens', { ...page, ...here })).status, 200)
  for (const dead of [{ ...page, ...elsewhere }, token, as(ada)]) {
    assert.equal((await s.request('GET /tokens', dead)).status, 401)
  }
  await signIn(s.request, ada.login, fresh)
})

test('currentPassword is offered and described where it is accepted, and never shown', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const grace = await account(s.request, 'grace')
  const template = async (caller: Record<string, string>, id: string) => {
    const fields = { ...caller, accept: 'application/prs.hal-forms+json' }
    const { json } = await s.request(`GET /users/${id}`, fields)
    return json._templates.default.properties as { name: string; readOnly?: boolean }[]
  }
  const names = (properties: readonly { name: string }[]) => properties.map(({ name }) => name)
  assert.deepEqual(names(await template(as(ada), ada.id)), ['email', 'name', 'password', 'currentPassword'])
  assert.ok(!names(await template(admin, grace.id)).includes('currentPassword'))
  const token = bearer((await s.request('POST /tokens', as(ada), {})).json.token)
  const offered = await template(token, ada.id)
  assert.deepEqual(names(offered), ['email', 'name'])
  assert.equal(offered[0]?.readOnly, true)
  for (const name of ['users.patch', 'users.replace']) {
    const { properties } = (await s.request(`GET /schemas/${name}`, as(ada))).json
    assert.equal(properties.currentPassword.writeOnly, true, name)
  }
  for (const name of ['users', 'users.create']) {
    const { properties } = (await s.request(`GET /schemas/${name}`, as(ada))).json
    assert.equal(properties.currentPassword, undefined, name)
  }
  const types = await s.request('GET /client.d.ts', as(ada))
  assert.match(types.text, /readonly currentPassword\?: string/)
  const created = { email: 'x@example.org', name: 'x', password: pass, currentPassword: pass }
  assert.deepEqual(pointersOf(await s.request('POST /users', {}, created)), ['/currentPassword'])
})

test('a definition cannot declare a field currentPassword on accounts', () => {
  const fields = { login: text().unique(), password: password(), currentPassword: text() }
  const people = resource(fields)
  const others = resource({ name: email(), currentPassword: text() })
  const accounts = { resource: 'people', login: 'login', password: 'password' } as const
  const faulty = service({ title: 'x', accounts, resources: { people, others } })
  assert.throws(
    () => checkDefinition(faulty),
    (error: unknown) => {
      assert.ok(error instanceof DefinitionFault)
      assert.equal(error.faults.length, 1)
      assert.match(error.message, /people.*currentPassword/)
      return true
    },
  )
})

test('the administrator’s own form requires the current password too', async () => {
  await using s = await serve(definition)
  const session = await signIn(s.request, adminLogin, adminPassword)
  const root = (await s.request('GET /', admin)).json.links.account
  const shown = await s.request(`GET ${root}`, { ...page, ...session })
  assert.match(shown.text, /name="currentPassword"/)
})
