/** Bound providers among the credentials of an account, and what a recent sign-in with one permits. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentialsName } from '../../../src/definition/credentials-resource.ts'
import { anyone, email, env, oidc, password, resource, self, service, text } from '../../../src/index.ts'
import { always } from '../../../src/store/condition.ts'
import { basic, serve } from '../../service.ts'
import { startMailServer } from '../mail/mail-server.ts'
import { registerAuthenticator, signInWithPassword } from '../second-factors/authenticator.ts'
import { arrive, clientId, link, sessionOf, startFakeProvider, variables } from './fake-provider.ts'

const members = resource(
  { email: email().unique(), name: text({ max: 100 }), password: password({ min: 8 }) },
  { access: { read: anyone, create: anyone, update: self } },
)
const accounts = { resource: 'members', login: 'email', password: 'password' } as const
const pass = 'the right password'
const other = 'another right password'
const ada = 'ada@example.org'
const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

function definitionOf(issuer: string) {
  const id = oidc({ name: 'id', issuer, clientId, clientSecret: env('ID_SECRET'), provision: true })
  const mail = { from: 'club@example.org' }
  return service({ title: 'Club', accounts, mail, signIn: { providers: [id] }, resources: { members } })
}

async function start(issuer: string, mail: string) {
  return serve(definitionOf(issuer), { variables, mail, publicUrl: 'http://localhost:1' })
}

test('within five minutes after signing in with a provider, the password and the login change without the current one', async () => {
  await using provider = await startFakeProvider()
  await using mails = await startMailServer()
  await using s = await start(provider.issuer, mails.url)
  Object.assign(provider.behaviour.claims, { email: ada, email_verified: true })
  const first = sessionOf(await arrive(s, provider)) ?? {}
  const [own] = (await s.request(`GET /members?email=${ada}`)).json
  s.advance(300_001)
  const late = await s.request(`PATCH /members/${own.id}`, first, { password: pass })
  assert.deepEqual([late.status, late.json.errors[0].pointer], [422, '/currentPassword'])
  assert.match(late.json.errors[0].detail, /sign in again with your provider/)
  provider.behaviour.claims.auth_time = Math.floor(Date.now() / 1000) + 300
  const session = sessionOf(await arrive(s, provider)) ?? {}
  s.advance(240_000)
  const wrong = { password: pass, currentPassword: 'a wrong password' }
  assert.equal(
    (await s.request(`PATCH /members/${own.id}`, session, wrong)).status,
    422,
    'a wrong one counts',
  )
  const { 'sec-fetch-site': _, cookie = '' } = session as Record<string, string>
  const token = { authorization: `Bearer ${cookie.slice(cookie.indexOf('=') + 1)}` }
  assert.equal((await s.request(`PATCH /members/${own.id}`, token, { password: pass })).status, 403)
  assert.equal((await s.request(`PATCH /members/${own.id}`, session, { password: pass })).status, 200)
  assert.equal((await s.request('GET /tokens', session)).status, 200, 'this session stays')
  assert.equal((await s.request('GET /tokens', first)).status, 401, 'the other one has ended')
  assert.equal((await s.request('GET /tokens', basic(ada, pass))).status, 200)
  // The login: a mail to the new address, without the current password.
  const next = 'countess@example.org'
  assert.equal((await s.request('POST /verifications', session, { login: next })).status, 202)
  await mails.reached(2)
  assert.deepEqual(mails.received.map(({ to }) => to[0]).sort(), [ada, next])
  s.advance(60_001)
  assert.equal((await s.request('POST /verifications', session, { login: next })).status, 422)
  // A session that a password began needs the password, however recent it is.
  const body = new URLSearchParams({ login: ada, password: pass }).toString()
  const typed = sessionOf(await s.request('POST /sign-in', form, body)) ?? {}
  assert.equal((await s.request(`PATCH /members/${own.id}`, typed, { password: other })).status, 422)
})

test('a bound provider is a credential: the owner revokes it after a recent sign-in, and it signs in no more', async () => {
  await using provider = await startFakeProvider()
  await using mails = await startMailServer()
  await using s = await start(provider.issuer, mails.url)
  await s.request('POST /members', {}, { email: ada, name: 'Ada', password: pass })
  const [own] = (await s.request(`GET /members?email=${ada}`)).json
  const path = `/members/${own.id}/credentials`
  const body = new URLSearchParams({ login: ada, password: pass }).toString()
  const signIn = async () => sessionOf(await s.request('POST /sign-in', form, body)) ?? {}
  let session = await signIn()
  assert.equal((await link(s, provider, session, { currentPassword: pass })).status, 200)
  await mails.reached(1)
  assert.deepEqual(mails.received[0]?.to, [ada])
  assert.match(mails.received[0]?.text ?? '', /Subject: A new way to sign in to Club/)
  const [shown, ...others] = (await s.request(`GET ${path}`, session)).json
  assert.deepEqual([shown.kind, shown.name, others.length], ['provider', 'id', 0])
  assert.ok(shown.confirmedAt && !JSON.stringify(shown).includes(provider.issuer))
  assert.match((await s.request(`GET ${path}`, { ...session, accept: 'text/html' })).text, /provider/)
  // It is no second factor, and no code or passkey; it is not made by a POST, and no form offers it.
  assert.equal((await s.request('GET /tokens', basic(ada, pass))).status, 200)
  const made = await s.request(`POST ${path}`, basic(ada, pass), { kind: 'provider' })
  assert.deepEqual([made.status, made.json.errors[0].pointer], [422, '/kind'])
  const forms = await s.request(`GET ${path}`, { ...session, accept: 'application/prs.hal-forms+json' })
  const kind = forms.json._templates.default.properties.find((one: { name: string }) => one.name === 'kind')
  assert.deepEqual(kind.options.inline.map(String), ['totp', 'passkey', 'recovery-codes'])
  // Only after a recent sign-in.
  s.advance(300_001)
  const old = await s.request(`DELETE ${path}/${shown.id}`, session)
  assert.equal(old.status, 401)
  assert.match(String(old.fields['www-authenticate']), /insufficient_user_authentication.*max_age="?300/)
  session = await signIn()
  assert.equal((await s.request(`DELETE ${path}/${shown.id}`, session)).status, 204)
  await mails.reached(2)
  assert.match(mails.received[1]?.text ?? '', /Subject: A way to sign in to Club was removed/)
  assert.equal((await arrive(s, provider)).status, 403, 'the provider is unbound')
  const again = await link(s, provider, session, { currentPassword: pass })
  assert.equal(again.status, 200, 'and can be linked again')
  assert.equal((await s.request(`GET ${path}`, session)).json.length, 1)
})

test('a binding is one row, and the proof of an address is a row that no response shows or deletes', async () => {
  await using provider = await startFakeProvider()
  await using mails = await startMailServer()
  await using s = await start(provider.issuer, mails.url)
  await s.request('POST /members', {}, { email: ada, name: 'Ada', password: pass })
  const [own] = (await s.request(`GET /members?email=${ada}`)).json
  const path = `/members/${own.id}/credentials`
  await s.request('POST /verifications', {}, { login: ada })
  await mails.reached(1)
  const [secret] = mails.received[0]?.secrets ?? []
  assert.equal((await s.request(`POST /verifications/${secret}`, {}, { password: pass })).status, 204)
  const body = new URLSearchParams({ login: ada, password: pass }).toString()
  const session = sessionOf(await s.request('POST /sign-in', form, body)) ?? {}
  const list = {
    table: credentialsName,
    condition: always,
    after: undefined,
    limit: 9,
    evaluated: [],
  } as const
  const rows = () => s.service.store.list({ ...list, order: [{ column: '_identity', descending: false }] })
  const [proof, ...others] = await rows()
  assert.deepEqual(others, [])
  assert.deepEqual((await s.request(`GET ${path}`, session)).json, [])
  for (const [fields, status] of [
    [session, 404],
    [basic(ada, pass), 404],
  ] as const) {
    assert.equal((await s.request(`GET ${path}/${proof?.[0]}`, fields)).status, status)
    assert.equal((await s.request(`DELETE ${path}/${proof?.[0]}`, fields)).status, status)
  }
  assert.equal((await link(s, provider, session, { currentPassword: pass })).status, 200)
  assert.equal((await rows()).length, 2)
  assert.equal((await s.request(`GET ${path}`, session)).json.length, 1)
})

test('the owner gets a mail for each new and removed second factor, and for new recovery codes', async () => {
  await using provider = await startFakeProvider()
  await using mails = await startMailServer()
  await using s = await start(provider.issuer, mails.url)
  await s.request('POST /members', {}, { email: ada, name: 'Ada', password: pass })
  const [own] = (await s.request(`GET /members?email=${ada}`)).json
  const { cookie } = await signInWithPassword(s, ada, pass)
  const fields = { cookie, 'sec-fetch-site': 'same-origin' }
  const { uri } = await registerAuthenticator(s, `/members/${own.id}`, fields, Date.now)
  const path = `/members/${own.id}/credentials`
  assert.equal((await s.request(`POST ${path}`, fields, { kind: 'recovery-codes' })).status, 201)
  assert.equal(
    (await s.request(`POST ${path}`, fields, { kind: 'totp' })).status,
    201,
    'not confirmed: no mail',
  )
  assert.equal((await s.request(`DELETE ${uri}`, fields)).status, 204)
  await mails.reached(3)
  assert.deepEqual(
    mails.received.map(({ to, text }) => [to[0], /Subject: (.*)\r/.exec(text)?.[1]]),
    [
      [ada, 'A new way to sign in to Club'],
      [ada, 'A new way to sign in to Club'],
      [ada, 'A way to sign in to Club was removed'],
    ],
  )
})
