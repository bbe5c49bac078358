/** JSON Web Tokens of configured issuers (RFC 7519, RFC 8725): claims, signatures and keys. */

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { anyone, resource, role, service, signedIn, text } from '../../src/index.ts'
import { cases } from '../cases.ts'
import { admin, serve } from '../service.ts'
import {
  audience,
  curve,
  definitionOf,
  issuer,
  type Jwks,
  jwksServer,
  jwt,
  keySet,
  other,
  rsa,
  usual,
} from './jwt-issuer.ts'
import { account, accounts, bearer, users } from './sample.ts'

test('a JWT of the issuer signs its caller in, without an account', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri, { roles: 'roles' }))
  const reader = bearer(await jwt({ claims: { roles: ['admin'] } }))
  assert.equal((await s.request('GET /articles', reader)).status, 200)
  const curved = bearer(await jwt({ header: { alg: 'ES256', kid: 'curve' }, key: curve.privateKey }))
  assert.equal((await s.request('GET /articles', curved)).status, 200)
  assert.equal(jwks.fetches, 1)
  // A caller without an account owns nothing.
  assert.equal((await s.request('POST /articles', reader, { title: 'x' })).status, 403)
  assert.equal((await s.request('POST /tokens', reader, {})).status, 403)
  assert.equal((await s.request('GET /tokens', reader)).status, 403)
})

test('roles come only from the claim that the definition names', async () => {
  await using jwks = await jwksServer()
  await using named = await serve(definitionOf(jwks.uri, { roles: 'groups' }))
  await using unnamed = await serve(definitionOf(jwks.uri))
  const ada = await account(named.request, 'ada')
  const draft = await named.request('POST /articles', { authorization: ada.authorization }, { title: 'x' })
  const path = `GET /articles/${draft.json.id}`
  for (const [claims, status] of [
    [{ groups: ['admin'] }, 200],
    [{ groups: 'editor admin' }, 200],
    [{ groups: ['editor'], roles: ['admin'], role: 'admin' }, 404],
    [{ groups: [['admin']] }, 404],
    [{ groups: { admin: true } }, 404],
    [{}, 404],
  ] as const) {
    assert.equal(
      (await named.request(path, bearer(await jwt({ claims })))).status,
      status,
      JSON.stringify(claims),
    )
  }
  assert.equal(
    (await unnamed.request('GET /articles', bearer(await jwt({ claims: { groups: ['admin'] } })))).json
      .length,
    0,
  )
})

test('a token created with a JWT has the claimed roles and expires at exp (RFC 7519 §4.1.4)', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri, { login: 'email', roles: 'roles' }))
  const root = await account(s.request, 'root', 'admin')
  const ada = await account(s.request, 'ada')
  const exp = Math.floor(Date.now() / 1000) + 300
  const claims = { email: root.login, email_verified: true, roles: ['member'], exp }
  const narrow = bearer(await jwt({ claims }))
  const end = new Date(exp * 1000).toISOString()
  const first = await s.request('POST /tokens', narrow, {})
  assert.equal(first.status, 201, first.text)
  assert.equal(first.json.expiresAt, end)
  const second = await s.request('POST /tokens', bearer(first.json.token), { expiresIn: 60 })
  for (const caller of [narrow, bearer(first.json.token), bearer(second.json.token)]) {
    assert.equal((await s.request(`GET /users/${ada.id}`, caller)).json.email, undefined)
    assert.equal((await s.request(`PATCH /users/${ada.id}`, caller, { name: 'x' })).status, 403)
  }
  const year = await s.request('POST /tokens', narrow, { expiresIn: 365 * 86_400 })
  assert.equal(year.status, 403)
  assert.match(year.json.detail, new RegExp(end))
  const wide = bearer(await jwt({ claims: { ...claims, roles: ['admin'] } }))
  const third = await s.request('POST /tokens', wide, { expiresIn: 60 })
  assert.equal((await s.request(`GET /users/${ada.id}`, bearer(third.json.token))).json.email, ada.login)
})

test('an Idempotency-Key returns no stored response to a caller with another role', async () => {
  await using jwks = await jwksServer()
  const memos = resource(
    { text: text(), note: text().optional().visibleTo(role('admin')) },
    { access: { read: signedIn, create: signedIn } },
  )
  const issuers = [{ issuer, audience, jwks: jwks.uri, algorithms: ['RS256'] }]
  for (const more of [{ roles: 'roles' }, { roles: 'roles', login: 'email' }]) {
    const options = { title: 'Memos', accounts, issuers: [{ ...issuers[0], ...more }] }
    await using s = await serve(service({ ...options, resources: { users, memos } } as never))
    const root = await account(s.request, 'root', 'admin')
    const claims = { email: root.login, email_verified: true }
    const key = { 'idempotency-key': '"k"' }
    const send = async (roles: readonly string[]) => {
      const token = await jwt({ claims: { ...claims, roles } })
      return s.request('POST /memos', { ...bearer(token), ...key }, { text: 'a', note: 'hidden' })
    }
    const created = await send(['admin'])
    assert.equal(created.json.note, 'hidden')
    assert.equal((await send(['admin'])).json.id, created.json.id, 'the same role gets its response again')
    const other = await send(['member'])
    assert.equal(other.json.note, undefined, JSON.stringify(more))
  }
})

test('a JWT that can be refused without a key causes no request for one', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri))
  const now = Math.floor(Date.now() / 1000)
  const pem = Buffer.from(rsa.publicKey.export({ type: 'spki', format: 'pem' }))
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: issuer, aud: audience, sub: 'ada', exp: now + 600 }
  const unsigned = (alg: string) => `${part({ alg, kid: 'one' })}.${part(claims)}.`
  const bad: Record<string, string> = {
    none: unsigned('none'),
    None: unsigned('None'),
    nOnE: unsigned('nOnE'),
    empty: unsigned(''),
    'HS256 by the public key': await jwt({ header: { alg: 'HS256' }, key: pem }),
    'HS256 by nothing': unsigned('HS256'),
    'an algorithm not listed': await jwt({ header: { alg: 'PS256' } }),
    'another issuer': await jwt({ claims: { iss: `${issuer}/` } }),
    'another audience': await jwt({ claims: { aud: 'https://other.example' } }),
    'no audience': await jwt({ claims: { aud: undefined } }),
    'no expiry': await jwt({ claims: { exp: undefined } }),
    'an expiry that is no number': `${part({ alg: 'RS256', kid: 'one' })}.${part({ ...claims, exp: String(now + 600) })}.AAAA`,
    expired: await jwt({ claims: { exp: now - 61 } }),
    critical: `${part({ alg: 'RS256', kid: 'one', crit: ['x'], x: 1 })}.${part(claims)}.AAAA`,
    'critical, empty': `${part({ alg: 'RS256', kid: 'one', crit: [] })}.${part(claims)}.AAAA`,
    'no JWT': 'abc',
    'two parts': 'e30.e30',
    'not JSON': 'AAAA.AAAA.AAAA',
    'five parts': 'e30.e30.e30.e30.e30',
  }
  for (const [what, token] of Object.entries(bad)) {
    const refused = await s.request('GET /users', bearer(token))
    assert.equal(refused.status, 401, what)
    assert.match(String(refused.fields['www-authenticate']), /error="invalid_token"/)
  }
  assert.equal(jwks.fetches, 0)
})

test('a JWT is as good as its signature by the key that it names', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri))
  const good = await jwt()
  const [head, body, signature] = good.split('.') as [string, string, string]
  const tampered = Buffer.from(Buffer.from(body, 'base64url').toString().replace('ada', 'eve')).toString(
    'base64url',
  )
  const own = { jwk: other.publicKey.export({ format: 'jwk' }), kid: 'one' }
  for (const token of [
    `${head}.${tampered}.${signature}`,
    `${head}.${body}.`,
    await jwt({ key: other.privateKey }),
    await jwt({ key: other.privateKey, header: own }),
    await jwt({ key: other.privateKey, header: { jku: jwks.uri, x5u: jwks.uri } }),
    await jwt({ header: { kid: 'curve' } }),
    await jwt({ claims: { nbf: Math.floor(Date.now() / 1000) + 120 } }),
    await jwt({ claims: { sub: undefined } }),
  ]) {
    assert.equal((await s.request('GET /users', bearer(token))).status, 401)
  }
  assert.equal((await s.request('GET /users', bearer(good))).status, 200)
  assert.equal(jwks.fetches, 1, 'no header of a token leads anywhere')
})

test('60 seconds of skew are allowed, and no more', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri))
  const token = bearer(await jwt({ claims: { exp: Math.floor(Date.now() / 1000) + 5 } }))
  s.advance(60_000)
  assert.equal((await s.request('GET /users', token)).status, 200)
  s.advance(10_000)
  assert.equal((await s.request('GET /users', token)).status, 401)
})

test(`${cases(1000)} unknown keys are one fetch in 30 seconds`, async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri))
  const signed = async (kid: string) => bearer(await jwt({ header: { kid } }))
  assert.equal((await s.request('GET /users', await signed('one'))).status, 200)
  for (let batch = 0; batch < 10; batch += 1) {
    const pending = Array.from({ length: cases(1000) / 10 }, async (_, at) =>
      s.request('GET /users', await signed(`k${batch}-${at}`)),
    )
    for (const { status } of await Promise.all(pending)) assert.equal(status, 401)
  }
  assert.equal(jwks.fetches, 1)
  const rotated = keySet(['two', rsa.publicKey])
  jwks.respond = (response) => response.end(JSON.stringify(rotated))
  assert.equal((await s.request('GET /users', await signed('two'))).status, 401)
  s.advance(30_000)
  assert.equal((await s.request('GET /users', await signed('two'))).status, 200)
  assert.equal((await s.request('GET /users', await signed('one'))).status, 401)
  assert.equal(jwks.fetches, 2)
})

test('unavailable keys are 503, requested once in 30 seconds, and logged', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri))
  const token = bearer(await jwt())
  const failures: Record<string, Jwks['respond']> = {
    'a 500': (response) => response.writeHead(500).end(),
    'a redirect': (response) => response.writeHead(302, { location: jwks.uri }).end(),
    'too much': (response) => response.end(JSON.stringify({ ...usual, pad: 'x'.repeat(65_536) })),
    'no JSON': (response) => response.end('<html>'),
    'no key set': (response) => response.end('{"keys":1}'),
  }
  let fetches = 0
  for (const [what, respond] of Object.entries(failures)) {
    jwks.respond = respond
    fetches += 1
    for (let round = 0; round < 3; round += 1) {
      const refused = await s.request('GET /users', token)
      assert.equal(refused.status, 503, what)
      assert.match(String(refused.fields['retry-after']), /^[1-5]$/)
    }
    assert.equal(jwks.fetches, fetches, what)
    s.advance(30_000)
  }
  const troubles = s.observations.filter(({ kind }) => kind === 'issuer-unavailable')
  assert.equal(troubles.length, Object.keys(failures).length)
  jwks.respond = (response) => response.end(JSON.stringify(usual))
  assert.equal((await s.request('GET /users', token)).status, 200)
})

test('cached keys remain valid while new ones are unavailable', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri))
  assert.equal((await s.request('GET /users', bearer(await jwt()))).status, 200)
  jwks.respond = (response) => response.writeHead(500).end()
  s.advance(11 * 60_000)
  const exp = Math.floor(Date.now() / 1000) + 7200
  assert.equal((await s.request('GET /users', bearer(await jwt({ claims: { exp } })))).status, 200)
})

test('a private key in the set, or one of too few bits, verifies nothing', async () => {
  await using jwks = await jwksServer()
  await using s = await serve(definitionOf(jwks.uri))
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 })
  jwks.respond = (response) =>
    response.end(JSON.stringify(keySet(['one', rsa.privateKey], ['weak', weak.publicKey])))
  assert.equal((await s.request('GET /users', bearer(await jwt()))).status, 401)
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: issuer, aud: audience, sub: 'ada', exp: Date.now() }
  const forged = `${part({ alg: 'RS256', kid: 'weak' })}.${part(claims)}.AAAA`
  assert.equal((await s.request('GET /users', bearer(forged))).status, 401)
})

test('a service may have issuers and no accounts', async () => {
  await using jwks = await jwksServer()
  const books = resource(
    { title: text() },
    { access: { read: anyone, create: signedIn, delete: role('librarian') } },
  )
  const issuers = [{ issuer, audience, jwks: jwks.uri, algorithms: ['RS256'], roles: 'roles' }]
  await using s = await serve(service({ title: 'Books', issuers, resources: { books } }))
  const refused = await s.request('POST /books', {}, { title: 'x' })
  assert.equal(refused.status, 401)
  assert.equal(refused.fields['www-authenticate'], 'Bearer realm="Books"')
  assert.equal((await s.request('GET /books', admin)).status, 401)
  const created = await s.request('POST /books', bearer(await jwt()), { title: 'x' })
  assert.equal(created.status, 201)
  const at = String(created.fields.location)
  assert.equal((await s.request(`DELETE ${at}`, bearer(await jwt()))).status, 403)
  assert.equal(
    (await s.request(`DELETE ${at}`, bearer(await jwt({ claims: { roles: ['librarian'] } })))).status,
    204,
  )
})
