/** What a provider or an attacker does wrong in a sign-in through a provider. */

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { env, oidc, service } from '../../../src/index.ts'
import { serve, type TestService } from '../../service.ts'
import {
  arrive,
  type BegunFlow,
  begin,
  callback,
  clientId,
  type FakeProvider,
  sessionOf,
  startFakeProvider,
  variables,
} from './fake-provider.ts'
import { accounts, members, proven, start } from './members-service.ts'

test('return targets begin with exactly one slash', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider)
  Object.assign(provider.behaviour.claims, proven)
  for (const next of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    'javascript:alert(1)',
    '%2F%2Fevil.example',
  ]) {
    const done = await arrive(s, provider, { next: `?next=${next}` })
    assert.match(done.text, /content="0;url=\/">/, next)
  }
})

describe('what a provider or an attacker does wrong is refused, and begins no session', () => {
  let world: Promise<{ readonly provider: FakeProvider; readonly s: TestService }> | undefined
  const shared = () => {
    world ??= (async () => {
      const provider = await startFakeProvider()
      provider.behaviour.userInfo = { ...proven, sub: 'another' }
      return { provider, s: await start(provider) }
    })()
    return world
  }
  after(async () => {
    const { provider, s } = await shared()
    await s[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })
  type Wrong = (
    flow: BegunFlow,
    provider: FakeProvider,
    s: TestService,
  ) => Promise<Record<string, string>> | Record<string, string>
  const usual = (flow: BegunFlow, provider: FakeProvider) => ({
    code: provider.issueCode(flow.sent.get('nonce') ?? ''),
    state: flow.sent.get('state') ?? '',
    iss: provider.issuer,
  })
  const withClaims =
    (claims: Record<string, unknown>): Wrong =>
    (flow, provider) => {
      Object.assign(provider.behaviour.claims, claims)
      return usual(flow, provider)
    }
  const past = Math.floor(Date.now() / 1000) - 600
  const wrongs: Readonly<Record<string, Wrong>> = {
    'wrong iss in the ID token': withClaims({ iss: 'https://evil.example' }),
    'wrong aud': withClaims({ aud: 'another client' }),
    'several audiences without azp': withClaims({ aud: [clientId, 'another'], azp: 'another' }),
    'wrong nonce': withClaims({ nonce: 'of another flow' }),
    'no nonce': withClaims({ nonce: undefined }),
    'expired ID token': withClaims({ exp: past, iat: past - 600 }),
    'no sub': withClaims({ sub: undefined }),
    'alg none': (flow, provider) => {
      provider.behaviour.signature = 'none'
      return usual(flow, provider)
    },
    'a signature of another key': (flow, provider) => {
      provider.behaviour.signature = 'foreign'
      return usual(flow, provider)
    },
    'mix-up: iss of another provider (RFC 9207)': (flow, provider) => ({
      ...usual(flow, provider),
      iss: 'https://evil.example',
    }),
    'mix-up: no iss although the provider sends it': (flow, provider) => {
      const { code, state } = usual(flow, provider)
      return { code, state }
    },
    'wrong state': (flow, provider) => ({ ...usual(flow, provider), state: 'of another flow' }),
    'no state': (flow, provider) => {
      const { code, iss } = usual(flow, provider)
      return { code, iss }
    },
    'an unknown code': (flow, provider) => ({ ...usual(flow, provider), code: 'unknown' }),
    'a replayed code': async (flow, provider, s) => {
      const parameters = usual(flow, provider)
      const first = await callback(s, flow, parameters)
      assert.equal(first.status, 200)
      return parameters
    },
    'an error of the provider': (flow, provider) => {
      const { state, iss } = usual(flow, provider)
      return { error: 'access_denied', state, iss }
    },
    'another subject at the UserInfo endpoint': (flow, provider) => {
      provider.behaviour.claims.email = undefined
      return usual(flow, provider)
    },
  }
  for (const [name, wrong] of Object.entries(wrongs)) {
    test(name, async () => {
      const { provider, s } = await shared()
      Object.assign(provider.behaviour, { claims: { ...proven }, signature: 'own' })
      const flow = await begin(s)
      const reply = await callback(s, flow, await wrong(flow, provider, s))
      assert.deepEqual([reply.status, sessionOf(reply)], [401, undefined], reply.text)
      assert.match(reply.fields['set-cookie']?.[0] ?? '', /^restwell-sign-in=; /, 'the flow is over')
      const logged = JSON.stringify(s.observations)
      assert.ok(
        !logged.includes('eyJ') && !logged.includes(variables.ID_SECRET),
        'no token and no secret is logged',
      )
    })
  }
})

test('a callback without its flow, with an expired one, or with that of another provider is 400', async () => {
  await using provider = await startFakeProvider()
  const other = oidc({
    name: 'other',
    issuer: `${provider.issuer}/`,
    clientId,
    clientSecret: env('ID_SECRET'),
  })
  const one = oidc({
    name: 'id',
    issuer: provider.issuer,
    clientId,
    clientSecret: env('ID_SECRET'),
    provision: true,
  })
  const definition = service({
    title: 'Club',
    accounts,
    signIn: { providers: [one, other] },
    resources: { members },
  })
  await using s = await serve(definition, { variables })
  Object.assign(provider.behaviour.claims, proven)
  const flow = await begin(s)
  const parameters = {
    code: provider.issueCode(flow.sent.get('nonce') ?? ''),
    state: flow.sent.get('state') ?? '',
    iss: provider.issuer,
  }
  assert.equal((await callback(s, { cookie: '' }, parameters)).status, 400)
  assert.equal((await callback(s, { cookie: `${flow.cookie}x` }, parameters)).status, 400)
  assert.equal((await callback(s, flow, parameters, '/sign-in/other/callback')).status, 400)
  assert.equal((await callback(s, flow, parameters, '/sign-in/unknown/callback')).status, 404)
  assert.equal((await s.request('GET /sign-in/unknown')).status, 404)
  assert.equal((await s.request('GET /sign-in/id/callback/more')).status, 404)
  assert.equal((await s.request('PUT /sign-in/id', {}, {})).status, 405)
  s.advance(600_000)
  assert.equal((await callback(s, flow, parameters)).status, 400)
  assert.deepEqual(provider.redeemed, [])
})

test('a provider that cannot be reached or names another issuer is 503; the next attempt asks it again', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider)
  provider.behaviour.discovery = { issuer: 'https://evil.example' }
  const refused = await begin(s)
  assert.deepEqual([refused.reply.status, refused.cookie], [503, ''])
  provider.behaviour.discovery = {}
  assert.equal((await begin(s)).reply.status, 303)
  assert.equal(s.observations.filter(({ kind }) => kind === 'issuer-unavailable').length, 1)
})
