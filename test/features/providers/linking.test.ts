/**
 * Attacks on an account by a link with an identity of the attacker: linking needs the proof of a new password, and neither a
 * link nor a provider that has not asked the person just now is such a proof (docs/reference/http/accounts.md, "Providers").
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer } from '../../access/sample.ts'
import { admin, basic, type TestService } from '../../service.ts'
import { post, signInWithPassword } from '../second-factors/authenticator.ts'
import { arrive, beginLink, finish, link, sessionOf, startFakeProvider } from './fake-provider.ts'
import { ada, pass, proven, start } from './members-service.ts'

const other = 'another right password'
const merge = { 'content-type': 'application/merge-patch+json' }
const foreign = { sub: 'eve', email: 'eve@example.org', email_verified: true }

/** An account with a password, and a session of it. */
async function signUp(s: TestService, login = ada) {
  const { json } = await s.request('POST /members', {}, { email: login, name: 'Ada', password: pass })
  const { cookie } = await signInWithPassword(s, login, pass)
  return { own: `/members/${json.id}`, session: { cookie, 'sec-fetch-site': 'same-origin' } }
}

const kindsOf = async (s: TestService, own: string, caller: Record<string, string>) =>
  (await s.request(`GET ${own}/credentials`, caller)).json.map(({ kind }: { kind: string }) => kind)

test('ridden session: a GET links no identity, and a sign-in with it changes no password', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider, false)
  const { own, session } = await signUp(s)
  s.advance(300_001)
  Object.assign(provider.behaviour.claims, foreign)
  for (const fields of [session, { ...session, 'sec-fetch-site': 'cross-site' }, basic(ada, pass)]) {
    const reply = await arrive(s, provider, { fields })
    assert.deepEqual([reply.status, sessionOf(reply)], [403, undefined], reply.text)
  }
  assert.deepEqual(await kindsOf(s, own, session), [])
  const changed = await s.request(`PATCH ${own}`, { ...session, ...merge }, { password: other })
  assert.deepEqual([changed.status, changed.json.errors[0].pointer], [422, '/currentPassword'])
})

test('a link needs the current password, a session or Basic, and a page of this service', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider, false)
  const { own, session } = await signUp(s)
  const token = bearer((await s.request('POST /tokens', session, {})).json.token)
  const right = { currentPassword: pass }
  const attempts: readonly (readonly [string, number, Record<string, string>, Record<string, string>])[] = [
    ['no password', 422, session, {}],
    ['an empty password', 422, session, { currentPassword: '' }],
    ['a wrong password', 422, session, { currentPassword: other }],
    ['another member', 422, session, { ...right, next: '//evil.example' }],
    ['a token', 403, token, right],
    ['nobody', 401, {}, right],
    ['a page of another site', 403, { ...basic(ada, pass), 'sec-fetch-site': 'cross-site' }, right],
    ['a wrong password with Basic', 422, basic(ada, pass), {}],
  ]
  for (const [name, status, fields, values] of attempts) {
    const { reply, cookie } = await beginLink(s, fields, values)
    assert.deepEqual([reply.status, cookie], [status, ''], `${name}: ${reply.text}`)
    if (status === 422) assert.match(reply.text, /<form method="post" action="\/sign-in\/id"/, name)
  }
  assert.deepEqual(provider.redeemed, [])
  assert.deepEqual(await kindsOf(s, own, session), [])
  // A password that is missing or wrong counts as a failed one.
  for (let count = 0; count < 6; count += 1) await beginLink(s, session, { currentPassword: other })
  assert.equal((await beginLink(s, session, { currentPassword: other })).reply.status, 429)
})

test('a link with the current password binds the identity, which signs in from then on', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider, false)
  const { own, session } = await signUp(s)
  const page = await s.request('GET /sign-in', { ...session, accept: 'text/html' })
  assert.match(page.text, /<form method="post" action="\/sign-in\/id"[\s\S]*name="currentPassword"/)
  assert.match(page.text, /<button formaction="\/sign-in\/id">Link ID<\/button>/)
  assert.ok(!(await s.request('GET /sign-in', { accept: 'text/html' })).text.includes('Link ID'))
  Object.assign(provider.behaviour.claims, { email: 'other@example.org', email_verified: false })
  const linked = await link(s, provider, session, { currentPassword: pass })
  assert.equal(linked.status, 200, linked.text)
  assert.ok(linked.text.includes(`content="0;url=${own}/credentials"`))
  assert.deepEqual(await kindsOf(s, own, session), ['provider'])
  const again = sessionOf(await arrive(s, provider)) ?? {}
  assert.deepEqual(await kindsOf(s, own, again), ['provider'])
  assert.equal((await link(s, provider, basic(ada, pass), { currentPassword: pass })).status, 200, 'again')
  provider.behaviour.claims.sub = 'second'
  const second = await link(s, provider, session, { currentPassword: pass })
  assert.equal(second.status, 403, 'one subject of an issuer for each account')
})

test('a link made in the same flow is no proof: it begins no session, and the old one needs the password', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider, false)
  const { own, session } = await signUp(s)
  s.advance(300_001)
  provider.behaviour.claims.auth_time = Math.floor(Date.now() / 1000) + 300
  const linked = await link(s, provider, session, { currentPassword: pass })
  assert.deepEqual([linked.status, sessionOf(linked)], [200, undefined])
  assert.equal((await s.request(`PATCH ${own}`, { ...session, ...merge }, { password: other })).status, 422)
  assert.equal((await s.request(`POST ${own}/credentials`, session, {})).status, 422)
})

test('the identity of another account is not linked, and its link signs in to neither', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider, false)
  const eve = await signUp(s, 'eve@example.org')
  await link(s, provider, eve.session, { currentPassword: pass })
  const { own, session } = await signUp(s)
  const reply = await link(s, provider, session, { currentPassword: pass })
  assert.deepEqual([reply.status, sessionOf(reply)], [403, undefined])
  assert.match(reply.text, /belongs to another account/)
  assert.deepEqual(await kindsOf(s, own, session), [])
})

test('a link under way ends with the session, the password and the account that asked for it', async () => {
  const ends: Readonly<Record<string, (s: TestService, own: string, session: object) => Promise<unknown>>> = {
    'the session': (s, _own, session) => post(s, '/sign-out', {}, session),
    'the password': (s, own) => s.request(`PATCH ${own}`, { ...admin, ...merge }, { password: other }),
    'the enabled account': (s, own) => s.request(`PATCH ${own}`, { ...admin, ...merge }, { disabled: true }),
    'the account': (s, own) => s.request(`DELETE ${own}`, admin),
  }
  for (const [name, end] of Object.entries(ends)) {
    await using provider = await startFakeProvider()
    await using s = await start(provider, false)
    const { own, session } = await signUp(s)
    const flow = await beginLink(s, session, { currentPassword: pass })
    await end(s, own, session)
    const reply = await finish(s, provider, flow)
    assert.deepEqual([reply.status, sessionOf(reply)], [401, undefined], `${name}: ${reply.text}`)
    assert.equal((await arrive(s, provider)).status, 403, `${name}: nothing was bound`)
  }
})

test('max_age is sent; a provider that does not say that it has asked the person just now proves nothing', async () => {
  const now = Math.floor(Date.now() / 1000)
  const unproven: Readonly<Record<string, unknown>> = {
    'no auth_time, as an OAuth provider': undefined,
    'an old auth_time, as a provider that ignores max_age': now - 301,
    'an auth_time of the future': now + 120,
    'the first of all times': 0,
  }
  for (const [name, time] of Object.entries(unproven)) {
    await using provider = await startFakeProvider()
    await using s = await start(provider)
    Object.assign(provider.behaviour.claims, { ...proven, auth_time: time })
    const flow = await beginLink(s, sessionOf(await arrive(s, provider)) ?? {})
    assert.equal(flow.reply.status, 422, name)
    const session = sessionOf(await arrive(s, provider)) ?? {}
    const [, own] = (await s.request('GET /members', session)).json
    const uri = `/members/${own.id}`
    const changed = await s.request(`PATCH ${uri}`, { ...session, ...merge }, { password: other })
    assert.deepEqual([changed.status, changed.json.errors[0].pointer], [422, '/currentPassword'], name)
    assert.equal((await s.request(`POST ${uri}/credentials`, session, {})).status, 422, name)
    const [shown] = (await s.request(`GET ${uri}/credentials`, session)).json
    assert.equal((await s.request(`DELETE ${uri}/credentials/${shown.id}`, session)).status, 401, name)
    provider.behaviour.claims.auth_time = now
    const fresh = sessionOf(await arrive(s, provider)) ?? {}
    const set = await s.request(`PATCH ${uri}`, { ...fresh, ...merge }, { password: other })
    assert.equal(set.status, 200, `${name}: ${set.text}`)
  }
})

test('a UserInfo endpoint does not say when the person was asked: it is not signed', async () => {
  await using provider = await startFakeProvider()
  provider.behaviour.userInfo = { ...proven, sub: 'ada', auth_time: Math.floor(Date.now() / 1000) }
  await using s = await start(provider)
  Object.assign(provider.behaviour.claims, { auth_time: undefined })
  const session = sessionOf(await arrive(s, provider)) ?? {}
  const [, own] = (await s.request('GET /members', session)).json
  const changed = await s.request(`PATCH /members/${own.id}`, { ...session, ...merge }, { password: other })
  assert.equal(changed.status, 422, changed.text)
})
