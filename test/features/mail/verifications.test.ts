/** Proof of addresses by mail, and changes of the own login (docs/reference/http/accounts.md, "Verifications"). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../../../src/index.ts'
import { audience, issuer, jwksServer, jwt } from '../../access/jwt-issuer.ts'
import { bearer } from '../../access/sample.ts'
import { admin, basic, type Reply, serve, type TestService } from '../../service.ts'
import definition, { accounts, people } from './fixtures/people.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

const publicUrl = 'https://people.example'
const pass = 'the right password'
const ada = 'ada@example.org'
const countess = 'countess@example.org'

async function signUp(s: TestService, login: string, password = pass): Promise<string> {
  const created = await s.request('POST /people', {}, { email: login, password })
  assert.equal(created.status, 201, created.text)
  return created.json.id
}

const browser = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
const form = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }

async function signIn(s: TestService, login: string, password = pass) {
  const reply = await s.request('POST /sign-in', form, new URLSearchParams({ login, password }).toString())
  assert.equal(reply.status, 303)
  const [cookie = ''] = reply.fields['set-cookie'] ?? []
  return { cookie: cookie.split(';')[0] ?? '' }
}

async function linkOf(mails: MailServer, count: number): Promise<string> {
  await mails.reached(count)
  return `/verifications/${mails.received[count - 1]?.secrets[0]}`
}

function comparable({ status, fields, text }: Reply) {
  const { date: _date, 'request-id': _id, ...others } = fields
  return { status, fields: others, text: text.replace(/urn:uuid:[0-9a-f-]+/g, '') }
}

test('the own login changes when the link in a mail to the new address is used; the old address gets a notice', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const id = await signUp(s, ada)
  const session = await signIn(s, ada)
  const other = await signIn(s, ada)
  const direct = await s.request(`PATCH /people/${id}`, basic(ada, pass), {
    email: countess,
    currentPassword: pass,
  })
  assert.deepEqual([direct.status, direct.json.errors[0].pointer], [422, '/email'])
  const body = { login: countess, currentPassword: pass }
  assert.equal((await s.request('POST /verifications', basic(ada, pass), body)).status, 202)
  const uri = await linkOf(mails, 1)
  assert.deepEqual(mails.received[0]?.to, [countess])
  // Nothing has changed yet, and GET changes nothing.
  const page = await s.request(`GET ${uri}`, { accept: 'text/html' })
  assert.deepEqual([page.status, page.fields['cache-control']], [200, 'no-store'])
  assert.ok(!page.text.includes(uri))
  assert.equal((await s.request('GET /people', basic(countess, pass))).status, 401)
  const missing = await s.request(`POST ${uri}`, {}, {})
  assert.deepEqual([missing.status, missing.json.errors[0].pointer], [422, '/password'])
  assert.equal((await s.request(`POST ${uri}`, {}, { password: 'a wrong password' })).status, 422)
  // The browser is signed in to the account.
  const confirmed = await s.request(`POST ${uri}`, { ...form, ...session }, '')
  assert.deepEqual([confirmed.status, confirmed.fields.location], [303, '/'])
  assert.equal((await s.request('GET /people', basic(countess, pass))).status, 200)
  assert.equal((await s.request('GET /people', basic(ada, pass))).status, 401)
  assert.equal((await s.request('GET /', { ...browser, ...session })).status, 200)
  assert.equal((await s.request('GET /', { ...browser, ...other })).status, 401)
  assert.equal((await s.request(`POST ${uri}`, {}, { password: pass })).status, 404)
  await mails.reached(2)
  assert.deepEqual(mails.received[1]?.to, [ada])
  assert.match(mails.received[1]?.text ?? '', /Your address for People was changed/)
})

test('asking for another address needs the current password, and no token', async () => {
  await using s = await serve(definition, { publicUrl })
  await signUp(s, ada)
  const token = bearer((await s.request('POST /tokens', basic(ada, pass), {})).json.token)
  const ask = async (caller: Record<string, string>, body: object) =>
    (await s.request('POST /verifications', caller, { login: countess, ...body })).status
  assert.equal(await ask(token, { currentPassword: pass }), 403)
  assert.equal(await ask(basic(ada, pass), {}), 422)
  assert.equal(await ask(basic(ada, pass), { currentPassword: 'a wrong password' }), 422)
  assert.equal(await ask(basic(ada, 'a wrong password'), { currentPassword: pass }), 401)
  assert.equal(await ask(basic(ada, pass), { currentPassword: pass, login: 'no address' }), 422)
  assert.equal(await s.service.store.count('account_mails', { kind: 'always' }), 0)
  assert.equal(await ask(basic(ada, pass), { currentPassword: pass }), 202)
})

test('known, unknown and taken addresses get the same response, and cost one row each', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await signUp(s, ada)
  await signUp(s, 'eve@example.org')
  const known = await s.request('POST /verifications', {}, { login: ada })
  const unknown = await s.request('POST /verifications', {}, { login: 'nobody@example.org' })
  assert.deepEqual(comparable(known), comparable(unknown))
  const ask = (login: string) =>
    s.request('POST /verifications', basic(ada, pass), { login, currentPassword: pass })
  assert.deepEqual(comparable(await ask('eve@example.org')), comparable(await ask('free@example.org')))
  assert.equal(await s.service.store.count('account_mails', { kind: 'always' }), 4)
  await mails.reached(2)
  assert.deepEqual(mails.received.flatMap(({ to }) => to).sort(), [ada, 'free@example.org'])
})

test('an address that another account has taken meanwhile stays with it: 404', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  await signUp(s, ada)
  await s.request('POST /verifications', basic(ada, pass), { login: countess, currentPassword: pass })
  const uri = await linkOf(mails, 1)
  await signUp(s, countess, 'another password')
  assert.equal((await s.request(`POST ${uri}`, {}, { password: pass })).status, 404)
  assert.equal((await s.request('GET /people', basic(countess, 'another password'))).status, 200)
  assert.equal((await s.request('GET /people', basic(ada, pass))).status, 200)
})

test('of 20 concurrent uses of one link exactly one succeeds, and a new password ends the link', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const id = await signUp(s, ada)
  const session = await signIn(s, ada)
  await s.request('POST /verifications', {}, { login: ada })
  const uri = await linkOf(mails, 1)
  const uses = Array.from({ length: 20 }, () => s.request(`POST ${uri}`, { ...form, ...session }, ''))
  const statuses = (await Promise.all(uses)).map(({ status }) => status).sort()
  assert.deepEqual(statuses, [303, ...Array.from({ length: 19 }, () => 404)])
  await s.request('POST /verifications', {}, { login: ada })
  const other = await linkOf(mails, 2)
  await s.request(`PATCH /people/${id}`, admin, { password: 'a new password' })
  assert.equal((await s.request(`POST ${other}`, {}, { password: 'a new password' })).status, 404)
})

test('account pre-hijacking: the owner of an address cannot be led to confirm the account of an attacker', async () => {
  await using mails = await startMailServer()
  await using jwks = await jwksServer()
  const issuers = [{ issuer, audience, jwks: jwks.uri, algorithms: ['RS256', 'ES256'], login: 'email' }]
  const mail = { from: 'service@example.org' }
  const trusting = service({ title: 'People', accounts, issuers, mail, resources: { people } })
  await using s = await serve(trusting, { publicUrl, mail: mails.url })
  // The attacker signs up with the address of the victim, and has a mail sent to it.
  await signUp(s, ada, 'the attacker’s password')
  await s.request('POST /verifications', {}, { login: ada })
  const uri = await linkOf(mails, 1)
  // The victim follows the link, and does not know the password.
  assert.equal((await s.request(`POST ${uri}`, {}, {})).status, 422)
  const claims = { email: ada, email_verified: true, sub: 'victim' }
  assert.equal((await s.request('GET /people', bearer(await jwt({ claims })))).status, 200)
  // The address was not proven, so the arrival of its owner has voided the password.
  assert.equal((await s.request('GET /people', basic(ada, 'the attacker’s password'))).status, 401)
})

test('an address that its owner has proven keeps its password when an issuer vouches for it too', async () => {
  await using mails = await startMailServer()
  await using jwks = await jwksServer()
  const issuers = [{ issuer, audience, jwks: jwks.uri, algorithms: ['RS256', 'ES256'], login: 'email' }]
  const mail = { from: 'service@example.org' }
  const trusting = service({ title: 'People', accounts, issuers, mail, resources: { people } })
  await using s = await serve(trusting, { publicUrl, mail: mails.url })
  await signUp(s, ada)
  await s.request('POST /verifications', {}, { login: ada })
  assert.equal((await s.request(`POST ${await linkOf(mails, 1)}`, {}, { password: pass })).status, 204)
  const claims = { email: ada, email_verified: true, sub: 'ada' }
  assert.equal((await s.request('GET /people', bearer(await jwt({ claims })))).status, 200)
  assert.equal((await s.request('GET /people', basic(ada, pass))).status, 200)
})

test('an administrator changes the login of another account directly; the old address gets a notice', async () => {
  await using mails = await startMailServer()
  await using s = await serve(definition, { publicUrl, mail: mails.url })
  const id = await signUp(s, ada)
  assert.equal((await s.request(`PATCH /people/${id}`, admin, { email: countess })).status, 200)
  await mails.reached(1)
  assert.deepEqual(mails.received[0]?.to, [ada])
})
