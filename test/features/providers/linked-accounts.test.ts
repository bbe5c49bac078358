/** Which account a sign-in through a provider gets: no unproven address joins one. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TestService } from '../../service.ts'
import { registerAuthenticator } from '../second-factors/authenticator.ts'
import { arrive, link, sessionOf, startFakeProvider } from './fake-provider.ts'
import { ada, count, proven, start } from './members-service.ts'

describe('account pre-hijacking: no unproven address joins an account', () => {
  const attacker = 'the password of the attacker'
  const signUp = (s: TestService) =>
    s.request('POST /members', {}, { email: ada, name: 'Eve', password: attacker })

  test('classic-federated merge, GHSA-m93w-4fxv-r35v (PocketBase): an account that others may have made is not joined', async () => {
    await using provider = await startFakeProvider()
    await using s = await start(provider)
    Object.assign(provider.behaviour.claims, proven)
    assert.equal((await signUp(s)).status, 201)
    const reply = await arrive(s, provider)
    assert.deepEqual([reply.status, sessionOf(reply)], [403, undefined])
    assert.match(reply.text, /Sign in with your password, then link id at \/sign-in/)
    assert.equal(await count(s), 2)
  })

  test('non-verifying provider: an address that the provider has not verified joins and makes nothing', async () => {
    await using provider = await startFakeProvider()
    await using s = await start(provider)
    const texts: string[] = []
    for (const verified of [false, undefined, 'true']) {
      Object.assign(provider.behaviour.claims, { ...proven, email_verified: verified })
      const reply = await arrive(s, provider)
      assert.deepEqual([reply.status, sessionOf(reply)], [403, undefined])
      assert.ok(!reply.text.includes('code='), 'the page does not repeat the callback')
      texts.push(reply.text.replace(/urn:uuid:[0-9a-f-]+/g, ''))
    }
    await signUp(s)
    const reply = await arrive(s, provider)
    texts.push(reply.text.replace(/urn:uuid:[0-9a-f-]+/g, ''))
    assert.equal(new Set(texts).size, 1, 'the response does not tell whether there is an account')
  })

  test('trojan identifier, GHSA-pq7p-mc74-g65w (PocketBase): a bound subject proves no address that is not its own', async () => {
    await using provider = await startFakeProvider()
    await using s = await start(provider)
    await signUp(s)
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
    const signedIn = await s.request(
      'POST /sign-in',
      form,
      new URLSearchParams({ login: ada, password: attacker }).toString(),
    )
    const session = sessionOf(signedIn) ?? {}
    // The attacker binds its own identity to the account with the address of the victim.
    Object.assign(provider.behaviour.claims, { sub: 'eve', email: 'eve@example.org', email_verified: true })
    assert.equal((await link(s, provider, session, { currentPassword: attacker })).status, 200)
    // The victim arrives: the account is not its own.
    Object.assign(provider.behaviour.claims, { ...proven, sub: 'ada' })
    assert.equal((await arrive(s, provider)).status, 403)
  })

  test('changed sub: another subject with the same address does not get the account', async () => {
    await using provider = await startFakeProvider()
    await using s = await start(provider)
    Object.assign(provider.behaviour.claims, proven)
    assert.equal((await arrive(s, provider)).status, 200)
    provider.behaviour.claims.sub = 'another'
    const reply = await arrive(s, provider)
    assert.deepEqual([reply.status, sessionOf(reply)], [403, undefined])
    assert.equal(await count(s), 2)
  })
})

test('an account with a second factor needs it after the provider too', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider)
  Object.assign(provider.behaviour.claims, proven)
  const session = sessionOf(await arrive(s, provider)) ?? {}
  const [, own] = (await s.request('GET /members', session)).json
  await registerAuthenticator(s, `/members/${own.id}`, session, Date.now)
  const reply = await arrive(s, provider, { next: '?next=/members' })
  assert.deepEqual([reply.status, sessionOf(reply)], [200, undefined])
  assert.match(reply.text, /content="0;url=\/sign-in\/second-factor\?next=%2Fmembers">/)
})

test('without provision a person without an account gets none', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider, false)
  Object.assign(provider.behaviour.claims, proven)
  assert.equal((await arrive(s, provider)).status, 403)
  assert.equal(await count(s), 1)
})
