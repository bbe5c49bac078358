/** Sign-in with GitHub (docs/reference/http/accounts.md, "Providers"): OAuth 2.0 without OpenID Connect. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiUri } from '../../../src/features/providers/github.ts'
import { env, oauth, service } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { admin, basic, type Reply, serve, type TestService } from '../../service.ts'
import { cookiesOf, post } from '../second-factors/authenticator.ts'
import { clientId, clientSecret, type FakeGitHub, startFakeGitHub } from './fake-github.ts'
import { sessionOf } from './fake-provider.ts'
import { accounts, ada, count, members, pass } from './members-service.ts'

const secret = env('GITHUB_SECRET')
const variables = { GITHUB_SECRET: clientSecret }

function definitionOf({ url }: { readonly url: string }, provision = true) {
  const gitHub = oauth({ preset: 'github', url, clientId, clientSecret: secret, provision })
  return service({ title: 'Club', accounts, signIn: { providers: [gitHub] }, resources: { members } })
}

const start = (gitHub: FakeGitHub, provision = true) => serve(definitionOf(gitHub, provision), { variables })

interface Begun {
  readonly sent: URLSearchParams
  readonly uri: string
  readonly cookie: string
}

async function begin(s: TestService): Promise<Begun> {
  const reply = await s.request('GET /sign-in/github?next=/members', { accept: 'text/html' })
  assert.equal(reply.status, 303)
  const uri = String(reply.fields.location)
  return { sent: new URL(uri).searchParams, uri, ...cookiesOf(reply) }
}

function comeBack(s: TestService, { cookie }: Begun, parameters: Record<string, string>): Promise<Reply> {
  const fields = { accept: 'text/html', 'sec-fetch-site': 'cross-site', cookie }
  return s.request(`GET /sign-in/github/callback?${new URLSearchParams(parameters)}`, fields)
}

/** The whole way of a person. */
async function arrive(s: TestService, gitHub: FakeGitHub): Promise<Reply> {
  const begun = await begin(s)
  return comeBack(s, begun, { code: gitHub.authorize(begun.sent), state: begun.sent.get('state') ?? '' })
}

test('a person gets an account with the verified primary address, and comes back to it by the numeric id', async () => {
  await using gitHub = await startFakeGitHub()
  await using s = await start(gitHub)
  for (const [language, words] of [
    ['en', 'Sign in with GitHub'],
    ['de', 'Anmelden mit GitHub'],
  ] as const) {
    const page = await s.request('GET /sign-in', { accept: 'text/html', 'accept-language': language })
    assert.ok(page.text.includes(`<a class="button" href="/sign-in/github">${words}</a>`))
  }
  const { uri, sent } = await begin(s)
  assert.ok(uri.startsWith(`${gitHub.url}/login/oauth/authorize?`))
  assert.deepEqual(
    [sent.get('client_id'), sent.get('scope'), sent.get('code_challenge_method'), sent.get('nonce')],
    [clientId, 'user:email', 'S256', null],
  )
  const done = await arrive(s, gitHub)
  assert.equal(done.status, 200, done.text)
  assert.match(done.text, /<meta http-equiv="refresh" content="0;url=\/members">/)
  assert.deepEqual(
    gitHub.asked.map(([path]) => path).toSorted(),
    ['/api/v3/user', '/api/v3/user/emails?per_page=100'],
    'the token is used for these alone',
  )
  const [, own] = (await s.request('GET /members', sessionOf(done))).json
  assert.deepEqual([own.email, own.name], [ada, 'Ada Lovelace'])
  // Another login name and another address are the same person, the same ones with another id are not.
  gitHub.user = { id: 583_231, login: 'countess', name: null }
  gitHub.emails = [{ email: 'countess@example.org', primary: true, verified: true }]
  assert.equal((await arrive(s, gitHub)).status, 200)
  assert.equal(await count(s), 2)
  gitHub.user = { id: 583_232, login: 'ada', name: 'Ada Lovelace' }
  gitHub.emails = [{ email: ada, primary: true, verified: true }]
  const other = await arrive(s, gitHub)
  assert.deepEqual([other.status, sessionOf(other)], [403, undefined])
  const audit = (await s.request('GET /audit?kind=signed-in', admin)).json
  assert.equal(audit.length, 2)
})

test('the address counts only where it is the primary one and verified', async () => {
  await using gitHub = await startFakeGitHub()
  await using s = await start(gitHub)
  for (const emails of [
    [{ email: ada, primary: true, verified: false }],
    [{ email: ada, primary: false, verified: true }],
    [{ email: ada, primary: 'true', verified: 'true' }],
    [{ primary: true, verified: true }],
    [null, 1],
    [],
    { email: ada },
    undefined,
  ]) {
    gitHub.emails = emails
    const refused = await arrive(s, gitHub)
    assert.deepEqual([refused.status, sessionOf(refused)], [403, undefined], JSON.stringify(emails))
    assert.match(refused.text, /github has not verified its address/)
  }
  assert.equal(await count(s), 1)
})

test('an account with the same address is joined by its owner alone, with its password', async () => {
  await using gitHub = await startFakeGitHub()
  await using s = await start(gitHub)
  await s.request('POST /members', {}, { email: ada, name: 'Ada', password: pass })
  assert.equal((await arrive(s, gitHub)).status, 403)
  const signedIn = await post(s, '/sign-in', { login: ada, password: pass })
  const session = { ...cookiesOf(signedIn), 'sec-fetch-site': 'same-origin' }
  const linking = await post(s, '/sign-in/github', { currentPassword: pass }, session)
  const [, uri = ''] = /content="0;url=([^"]+)"/.exec(linking.text) ?? []
  const sent = new URL(uri.replaceAll('&amp;', '&')).searchParams
  const begun = { sent, uri, ...cookiesOf(linking) }
  const linked = await comeBack(s, begun, { code: gitHub.authorize(sent), state: sent.get('state') ?? '' })
  assert.equal(linked.status, 200, linked.text)
  assert.equal((await arrive(s, gitHub)).status, 200)
  assert.equal((await s.request('GET /members', basic(ada, pass))).status, 200)
})

test('what does not fit the flow is refused: another state, code, verifier or browser, and a refusal by the person', async () => {
  await using gitHub = await startFakeGitHub()
  await using s = await start(gitHub)
  const statusOf = async (change: (begun: Begun, right: Record<string, string>) => Promise<Reply>) => {
    const begun = await begin(s)
    const right = { code: gitHub.authorize(begun.sent), state: begun.sent.get('state') ?? '' }
    const reply = await change(begun, right)
    assert.equal(sessionOf(reply), undefined)
    return reply.status
  }
  assert.equal(await statusOf((begun, { code = '' }) => comeBack(s, begun, { code, state: 'x' })), 401)
  assert.equal(await statusOf((begun, { code = '' }) => comeBack(s, begun, { code })), 401)
  assert.equal(await statusOf((begun, { state = '' }) => comeBack(s, begun, { code: 'x', state })), 401)
  const denied = { error: 'access_denied' }
  assert.equal(await statusOf((begun, { state = '' }) => comeBack(s, begun, { ...denied, state })), 401)
  // A code that was issued to another browser has another verifier.
  assert.equal(
    await statusOf(async (begun, { state = '' }) => {
      const stolen = gitHub.authorize((await begin(s)).sent)
      return comeBack(s, begun, { code: stolen, state })
    }),
    401,
  )
  assert.equal(await statusOf((begun, right) => comeBack(s, { ...begun, cookie: '' }, right)), 400)
  assert.equal(await count(s), 1)
})

test('an id that is no number, faults of the API and a server that cannot be reached are refused, and no log has a token', async () => {
  const gitHub = await startFakeGitHub()
  await using s = await start(gitHub)
  for (const user of [{ id: '583231' }, { id: 0 }, { id: 1.5 }, { id: null }, {}, [], 'ada', undefined]) {
    gitHub.user = user
    assert.equal((await arrive(s, gitHub)).status, 401, JSON.stringify(user))
  }
  gitHub.user = { id: 1 }
  gitHub.status = 500
  assert.equal((await arrive(s, gitHub)).status, 401)
  const begun = await begin(s)
  const code = gitHub.authorize(begun.sent)
  await gitHub[Symbol.asyncDispose]()
  assert.equal((await comeBack(s, begun, { code, state: begun.sent.get('state') ?? '' })).status, 503)
  assert.equal(await count(s), 1)
  const told = JSON.stringify(s.observations, (_, value) =>
    value instanceof Error ? String(value.stack) + String(value.cause) : value,
  )
  assert.match(told, /provider-refused/)
  assert.ok(!/token-\d/.test(told) && !told.includes(clientSecret))
})

test('the database has no token of GitHub', async () => {
  await using gitHub = await startFakeGitHub()
  await using s = await start(gitHub)
  assert.equal((await arrive(s, gitHub)).status, 200)
  const { model, store } = s.service
  for (const table of [...model.resources.keys(), ...model.ownTables.keys()]) {
    const order = [{ column: '_identity', descending: false }]
    const query = {
      table,
      condition: { kind: 'always' },
      order,
      after: undefined,
      limit: 100,
      evaluated: [],
    } as const
    assert.ok(!/token-\d/.test(JSON.stringify(await store.list(query))), table)
  }
})

test('the API of github.com and of servers that GitHub runs has a host of its own, that of others a path', () => {
  for (const [url, api] of [
    ['https://github.com', 'https://api.github.com'],
    ['https://club.ghe.com', 'https://api.club.ghe.com'],
    ['https://github.example.org', 'https://github.example.org/api/v3'],
    ['https://notghe.com', 'https://notghe.com/api/v3'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v3'],
  ] as const) {
    assert.equal(apiUri(new URL(url)), api)
  }
})

test('a declaration with faults is refused, with the place', () => {
  const gitHub = { preset: 'github', clientId, clientSecret: secret }
  const refused = (more: object, reason: RegExp) =>
    assert.throws(
      () =>
        checkDefinition(
          service({
            title: 'Club',
            accounts,
            signIn: { providers: [oauth({ ...gitHub, ...more } as never)] },
            resources: { members },
          }),
        ),
      reason,
    )
  refused({ preset: 'gitlab' }, /signIn: .*'preset' must be 'github'/)
  refused({ preset: undefined }, /The option 'preset' is missing/)
  refused({ clientSecret: 'in the file' }, /'clientSecret' must be a variable of the environment/)
  refused({ clientId: undefined }, /The option 'clientId' is missing/)
  refused({ name: 'No Segment' }, /'name' must be a path segment/)
  refused({ issuer: 'https://github.com' }, /Unknown option 'issuer'/)
  for (const url of ['http://github.example', 'https://github.example/', 'https://a:b@github.example', 'x']) {
    refused({ url }, /'url' must be an https origin/)
  }
  const one = oauth({ preset: 'github', clientId, clientSecret: secret })
  assert.throws(
    () =>
      checkDefinition(
        service({ title: 'Club', accounts, signIn: { providers: [one, one] }, resources: { members } }),
      ),
    /The provider 'github' is declared twice/,
  )
})

test('a start without the secret in the environment is refused with the name of the variable', async () => {
  await assert.rejects(serve(definitionOf({ url: 'https://github.com' })), /GITHUB_SECRET/)
})
