/** Sign-in with a provider (docs/reference/http.md, "Providers"): one that works, and each way to misbehave. */

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { checkDefinition } from '../../src/definition/check-definition.ts'
import {
  anyone,
  choice,
  email,
  env,
  oidc,
  password,
  resource,
  role,
  self,
  service,
  text,
} from '../../src/index.ts'
import { registerAuthenticator } from '../access/authenticator.ts'
import { admin, basic, serve, type TestService } from '../service.ts'
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

const pass = 'the right password'
const ada = 'ada@example.org'
const proven = { email: ada, email_verified: true, name: 'Ada Lovelace' }

const members = resource(
  {
    email: email().unique(),
    name: text({ max: 100 }),
    password: password({ min: 8 }),
    role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
  },
  { access: { read: anyone, create: anyone, update: [self, role('admin')], delete: role('admin') } },
)
const accounts = { resource: 'members', login: 'email', password: 'password', roles: 'role' } as const

function definitionOf({ issuer }: { readonly issuer: string }, provision = true) {
  const provider = oidc({ name: 'id', issuer, clientId, clientSecret: env('ID_SECRET'), provision })
  return service({ title: 'Club', accounts, signIn: { providers: [provider] }, resources: { members } })
}

async function start(provider: FakeProvider, provision = true): Promise<TestService> {
  return serve(definitionOf(provider, provision), { variables })
}

const count = async (s: TestService) => (await s.request('GET /members')).json.length

test('a person gets an account with a proven address, and comes back to it', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider)
  Object.assign(provider.behaviour.claims, proven)
  const page = await s.request('GET /sign-in?next=%2Fmembers', { accept: 'text/html' })
  assert.match(page.text, /<a class="button" href="\/sign-in\/id\?next=%2Fmembers">Sign in with ID<\/a>/)
  const flow = await begin(s, {}, '?next=/members')
  assert.deepEqual([flow.reply.status, flow.reply.fields['cache-control']], [303, 'no-store'])
  const cookie = flow.reply.fields['set-cookie']?.[0] ?? ''
  assert.match(cookie, /^restwell-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
  assert.equal(flow.sent.get('code_challenge_method'), 'S256')
  assert.equal(flow.sent.get('redirect_uri'), `${s.url}/sign-in/id/callback`)
  const { state, nonce } = Object.fromEntries(flow.sent)
  const code = provider.issueCode(nonce ?? '')
  const done = await callback(s, flow, { code, state: state ?? '', iss: provider.issuer })
  assert.equal(done.status, 200, done.text)
  assert.match(done.text, /<meta http-equiv="refresh" content="0;url=\/members">/)
  assert.equal(done.fields['cache-control'], 'no-store')
  assert.ok(provider.redeemed[0]?.get('code_verifier'))
  const cookies = done.fields['set-cookie'] ?? []
  assert.ok(cookies.some((one) => /^restwell=rw_.*SameSite=Strict/.test(one)))
  assert.ok(cookies.some((one) => /^restwell-sign-in=; Path=\/; Max-Age=0/.test(one)))
  const session = sessionOf(done)
  const [, own] = (await s.request('GET /members', session)).json
  assert.deepEqual([own.email, own.name, own.role], [ada, 'Ada Lovelace', 'member'])
  // The account has no password, and another arrival is the same account.
  assert.equal((await s.request('GET /members', basic(ada, ''))).status, 401)
  provider.behaviour.claims.email = 'countess@example.org'
  assert.equal((await arrive(s, provider)).status, 200)
  assert.equal(await count(s), 2)
  const audit = (await s.request('GET /audit?kind=signed-in', admin)).json
  assert.equal(audit.length, 2)
  await s.request(`PATCH /members/${own.id}`, admin, { disabled: true })
  const refused = await arrive(s, provider)
  assert.deepEqual([refused.status, sessionOf(refused)], [403, undefined])
})

test('over TLS the cookie of the flow has the prefix __Host- and is Secure', async () => {
  await using provider = await startFakeProvider()
  await using s = await serve(definitionOf(provider), {
    variables,
    publicUrl: 'https://club.example/',
    trusted: ['127.0.0.1'],
  })
  const forwarded = { forwarded: 'for=192.0.2.1;proto=https;host=club.example' }
  const { reply, sent } = await begin(s, forwarded)
  const set = reply.fields['set-cookie']?.[0] ?? ''
  assert.match(set, /^__Host-restwell-sign-in=.*; HttpOnly; SameSite=Lax; Secure$/)
  assert.equal(sent.get('redirect_uri'), 'https://club.example/sign-in/id/callback')
  const plain = await begin(s, { host: 'club.example' })
  assert.equal(plain.reply.status, 403, 'plain HTTP beyond this machine')
})

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
  assert.equal((await s.request('POST /sign-in/id', {}, {})).status, 405)
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
    assert.match(reply.text, /Sign in with its password/)
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
    assert.equal((await arrive(s, provider, { fields: session })).status, 200)
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

test('a person who is signed in binds the provider to its account; a link of another site does not', async () => {
  await using provider = await startFakeProvider()
  await using s = await start(provider, false)
  await s.request('POST /members', {}, { email: ada, name: 'Ada', password: pass })
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const signedIn = await s.request(
    'POST /sign-in',
    form,
    new URLSearchParams({ login: ada, password: pass }).toString(),
  )
  const session = sessionOf(signedIn) ?? {}
  Object.assign(provider.behaviour.claims, { email: 'other@example.org', email_verified: false })
  const foreign = await arrive(s, provider, { fields: { ...session, 'sec-fetch-site': 'cross-site' } })
  assert.equal(foreign.status, 403)
  assert.equal((await arrive(s, provider, { fields: session })).status, 200)
  const again = sessionOf(await arrive(s, provider)) ?? {}
  const [, own] = (await s.request('GET /members', again)).json
  assert.equal(own.email, ada)
  provider.behaviour.claims.sub = 'second'
  assert.equal(
    (await arrive(s, provider, { fields: session })).status,
    403,
    'one subject of an issuer for each account',
  )
  // A flow that began before the password changed binds nothing.
  const begun = await begin(s, session)
  await s.request(`PATCH /members/${own.id}`, admin, { password: 'a new password' })
  const parameters = {
    code: provider.issueCode(begun.sent.get('nonce') ?? ''),
    state: begun.sent.get('state') ?? '',
    iss: provider.issuer,
  }
  assert.equal((await callback(s, begun, parameters)).status, 401)
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

test('a definition of a provider without accounts, with a secret in it, or with other faults is refused', () => {
  const provider = { name: 'id', issuer: 'https://id.example', clientId, clientSecret: env('ID_SECRET') }
  const refused = (more: object, reason: RegExp, options: object = { accounts, resources: { members } }) =>
    assert.throws(
      () =>
        checkDefinition(
          service({
            title: 'Club',
            signIn: { providers: [oidc({ ...provider, ...more } as never)] },
            ...options,
          } as never),
        ),
      reason,
    )
  refused({}, /signIn: Sign-in with a provider needs accounts/, {
    resources: { notes: resource({ title: text() }) },
  })
  refused({ clientSecret: 'in the file' }, /'clientSecret' must be a variable of the environment/)
  refused({ issuer: 'http://id.example' }, /'issuer' must be an https URI/)
  refused({ name: 'No Segment' }, /'name' must be a path segment/)
  refused({ clientId: undefined }, /The option 'clientId' is missing/)
  refused({ scopes: 'x' }, /Unknown option 'scopes'/)
  const named = resource({ name: text({ max: 100 }).unique(), password: password() })
  refused({ provision: true }, /'provision' needs a login that is an email\(\)/, {
    accounts: { resource: 'people', login: 'name', password: 'password' },
    resources: { people: named },
  })
  refused({}, /The option 'providers' must be a list/, {
    accounts,
    resources: { members },
    signIn: { providers: [] },
  })
})
