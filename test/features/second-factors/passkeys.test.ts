/** Passkeys (WebAuthn Level 3; docs/reference/http/accounts.md, "Credentials"). test/browser/passkeys.test.ts uses a real browser. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../../../src/index.ts'
import { admin, basic, serve, type TestService } from '../../service.ts'
import { accounts, people } from '../mail/fixtures/people.ts'
import { browser, cookiesOf, post, signInWithPassword } from './authenticator.ts'
import { type AuthenticatorChoices, SoftwareAuthenticator } from './software-authenticator.ts'

const definition = service({ title: 'People', accounts, resources: { people } })
const pass = 'the right password'
const ada = 'ada@example.org'
const host = { host: 'localhost:3000' }
const right: AuthenticatorChoices = { origin: 'http://localhost:3000', host: 'localhost', counter: 1 }

async function signUp(s: TestService, login = ada): Promise<string> {
  const created = await s.request('POST /people', {}, { email: login, password: pass })
  return `/people/${created.json.id}`
}

/** The challenge of a new sign-in, with the cookies of the browser. */
async function challengeOf(s: TestService, cookie = ''): Promise<string> {
  const fields = { ...host, 'sec-fetch-site': 'same-origin', cookie }
  const { json, status } = await s.request('GET /sign-in/passkey', fields)
  assert.equal(status, 200)
  assert.equal(json.rpId, 'localhost')
  return json.challenge
}

function use(s: TestService, response: object, cookie = '') {
  return post(s, '/sign-in/passkey?next=/tokens', { response: JSON.stringify(response) }, { ...host, cookie })
}

async function register(
  s: TestService,
  own: string,
  key: SoftwareAuthenticator,
  choices = right,
  login = ada,
) {
  const caller = { ...basic(login, pass), ...host }
  const made = await s.request(`POST ${own}/credentials`, caller, { kind: 'passkey', name: 'Key' })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(made.json.options.rp, { name: 'People', id: 'localhost' })
  const response = key.register(made.json.options.challenge, choices)
  const confirm = () => s.request(`POST ${made.fields.location}/confirm`, caller, { response })
  return { uri: String(made.fields.location), confirmed: await confirm(), confirm }
}

test('a passkey signs in without the password; each challenge is accepted once', async () => {
  await using s = await serve(definition)
  const own = await signUp(s)
  const key = new SoftwareAuthenticator()
  const { confirmed, uri } = await register(s, own, key)
  assert.equal(confirmed.status, 200, confirmed.text)
  assert.equal(confirmed.json.recoveryCodes.length, 10)
  assert.equal((await s.request('GET /tokens', basic(ada, pass))).status, 401)
  const response = key.respond(await challengeOf(s), { ...right, counter: 2 })
  const signedIn = await use(s, response)
  assert.deepEqual([signedIn.status, signedIn.fields.location], [303, '/tokens'], signedIn.text)
  assert.equal((await s.request('GET /tokens', { ...browser, ...cookiesOf(signedIn) })).status, 200)
  assert.equal((await use(s, response)).status, 401)
  // Authenticators whose counter stays 0 too.
  const plain = await s.request(`GET ${uri}`, admin)
  assert.deepEqual(Object.keys(plain.json).sort(), [
    'account',
    'confirmedAt',
    'createdAt',
    'id',
    'kind',
    'lastUsedOn',
    'name',
    'updatedAt',
  ])
})

test('the options of a registration offer the algorithms that are verified, and exclude present passkeys', async () => {
  await using s = await serve(definition)
  const own = await signUp(s)
  const key = new SoftwareAuthenticator()
  assert.equal((await register(s, own, key)).confirmed.status, 200)
  const signedIn = await use(s, key.respond(await challengeOf(s), { ...right, counter: 2 }))
  const caller = { ...browser, ...cookiesOf(signedIn), ...host, accept: 'application/json' }
  const made = await s.request(`POST ${own}/credentials`, caller, { kind: 'passkey', currentPassword: pass })
  assert.equal(made.status, 201, made.text)
  const { challenge, ...options } = made.json.options
  assert.equal(Buffer.from(challenge, 'base64url').length, 32)
  assert.deepEqual(options, {
    rp: { name: 'People', id: 'localhost' },
    user: {
      id: Buffer.from(own.slice(own.lastIndexOf('/') + 1)).toString('base64url'),
      name: ada,
      displayName: '',
    },
    pubKeyCredParams: [-7, -257].map((alg) => ({ alg, type: 'public-key' })),
    timeout: 300_000,
    attestation: 'none',
    excludeCredentials: [{ id: key.id.toString('base64url'), type: 'public-key' }],
    authenticatorSelection: {
      residentKey: 'preferred',
      userVerification: 'preferred',
      requireResidentKey: false,
    },
    extensions: { credProps: true },
    hints: [],
  })
})

test('of 20 concurrent uses of one response exactly one succeeds, also without a counter', async () => {
  await using s = await serve(definition)
  const own = await signUp(s)
  const key = new SoftwareAuthenticator()
  assert.equal((await register(s, own, key, { ...right, counter: 0 })).confirmed.status, 200)
  const response = key.respond(await challengeOf(s), { ...right, counter: 0 })
  const uses = await Promise.all(Array.from({ length: 20 }, () => use(s, response)))
  const statuses = uses.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 303).length, 1, String(statuses))
})

test('a wrong origin, host, challenge, signature, counter or person is refused', async () => {
  await using s = await serve(definition)
  const own = await signUp(s)
  const key = new SoftwareAuthenticator()
  for (const wrong of [{ origin: 'http://localhost:4000' }, { host: 'example.org' }]) {
    assert.equal((await register(s, own, key, { ...right, ...wrong })).confirmed.status, 422)
  }
  const { confirmed, confirm } = await register(s, own, key, { ...right, counter: 5 })
  assert.equal(confirmed.status, 200)
  assert.equal((await confirm()).status, 401)
  const attempt = async (choices: Partial<AuthenticatorChoices>, other = key) =>
    (await use(s, other.respond(await challengeOf(s), { ...right, counter: 6, ...choices }))).status
  assert.equal(await attempt({ origin: 'http://localhost:4000' }), 401)
  assert.equal(await attempt({ origin: 'https://localhost:3000' }), 401)
  assert.equal(await attempt({ host: 'example.org' }), 401)
  assert.equal(await attempt({ counter: 5 }), 401)
  assert.equal(await attempt({ counter: 4 }), 401)
  assert.equal(await attempt({}, new SoftwareAuthenticator()), 401)
  // Without the password, the authenticator must know the person.
  assert.equal(await attempt({ isVerified: false }), 401)
  s.advance(61_000)
  const challenge = await challengeOf(s)
  const forged = key.respond(challenge, { ...right, counter: 6 })
  const other = key.respond(challenge, { ...right, counter: 7 })
  assert.equal((await use(s, { ...forged, response: { ...other.response, signature: 'AAAA' } })).status, 401)
  assert.equal((await use(s, key.respond('AAAA', { ...right, counter: 6 }))).status, 401)
  for (const nonsense of [{}, { id: 5 }, { id: key.id.toString('base64url') }]) {
    assert.equal((await use(s, nonsense)).status, 401)
  }
  s.advance(301_000)
  assert.equal((await use(s, forged)).status, 401)
  assert.equal(await attempt({}), 303)
})

test('after the password, the passkey must be one of the same account, and need not know the person', async () => {
  await using s = await serve(definition)
  const [key, eves] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()]
  assert.equal((await register(s, await signUp(s), key)).confirmed.status, 200)
  const eve = await signUp(s, 'eve@example.org')
  assert.equal((await register(s, eve, eves, right, 'eve@example.org')).confirmed.status, 200)
  const { cookie } = await signInWithPassword(s, ada, pass)
  const options = await s.request('GET /sign-in/passkey', {
    ...host,
    'sec-fetch-site': 'same-origin',
    cookie,
  })
  assert.deepEqual(options.json.allowCredentials, [{ id: key.id.toString('base64url'), type: 'public-key' }])
  assert.equal(options.fields['cache-control'], 'no-store')
  const theirs = eves.respond(await challengeOf(s, cookie), { ...right, counter: 2 })
  assert.equal((await use(s, theirs, cookie)).status, 401)
  const hers = key.respond(await challengeOf(s, cookie), { ...right, counter: 2, isVerified: false })
  assert.equal((await use(s, hers, cookie)).status, 303)
})

test('a disabled account cannot use its passkey, and a revoked passkey is refused', async () => {
  await using s = await serve(definition)
  const own = await signUp(s)
  const key = new SoftwareAuthenticator()
  const { uri } = await register(s, own, key)
  await s.request(`PATCH ${own}`, admin, { disabled: true })
  assert.equal((await use(s, key.respond(await challengeOf(s), { ...right, counter: 2 }))).status, 401)
  await s.request(`PATCH ${own}`, admin, { disabled: false })
  assert.equal((await use(s, key.respond(await challengeOf(s), { ...right, counter: 3 }))).status, 303)
  assert.equal((await s.request(`DELETE ${uri}`, admin)).status, 204)
  assert.equal((await use(s, key.respond(await challengeOf(s), { ...right, counter: 4 }))).status, 401)
  assert.equal((await s.request('GET /tokens', basic(ada, pass))).status, 200)
})

test('a response without publicKey is 422, and says what to do', async () => {
  await using s = await serve(definition)
  const own = await signUp(s)
  const caller = { ...basic(ada, pass), ...host }
  const made = await s.request(`POST ${own}/credentials`, caller, { kind: 'passkey', name: 'Key' })
  const key = new SoftwareAuthenticator()
  const sent = key.register(made.json.options.challenge, right)
  const { publicKey: _, ...response } = sent.response
  const confirm = (response: object) =>
    s.request(`POST ${made.fields.location}/confirm`, caller, { response: { ...sent, response } })
  const refused = await confirm(response)
  assert.equal(refused.status, 422)
  const [error] = refused.json.errors
  assert.equal(error.pointer, '/response')
  assert.match(error.detail, /^The response lacks `publicKey`\. Update your browser/)
  assert.equal((await confirm(sent.response)).status, 200)
})
