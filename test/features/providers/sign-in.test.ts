/** Sign-in with a provider (docs/reference/http/accounts.md, "Providers"): one that works, and each way to misbehave. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { env, oidc, password, resource, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { admin, basic, serve } from '../../service.ts'
import {
  arrive,
  begin,
  callback,
  clientId,
  sessionOf,
  startFakeProvider,
  variables,
} from './fake-provider.ts'
import { accounts, ada, count, definitionOf, members, proven, start } from './members-service.ts'

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
  assert.equal(flow.sent.get('max_age'), '300')
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
  refused({}, /signIn: Sign-in needs accounts/, {
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
