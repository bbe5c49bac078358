/** Callers on a socket: Authorization, trusted proxies, CORS and rate limits. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyone, choice, email, password, resource, role, service, text } from '../../src/index.ts'
import { admin, basic, serve } from '../service.ts'
import { account, accounts, articles, as, bearer, definition, notes, pass, users, vaults } from './sample.ts'

const origin = 'https://app.example'
const listed = service({
  title: 'Listed',
  accounts,
  origins: [origin],
  resources: { users, articles, notes, vaults },
})

test('a malformed Authorization is 401, two are 400, too long is 431, and none is logged', async () => {
  await using s = await serve(definition)
  const encoded = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
  const malformed: Record<string, string> = {
    empty: '',
    'a scheme alone': 'Basic',
    'no Base64': 'Basic %%%',
    'Base64 without padding': `Basic ${encoded('a:bc').replaceAll('=', '')}x`,
    'no colon': `Basic ${encoded('admin')}`,
    'not UTF-8': `Basic ${encoded(Uint8Array.of(0xff, 0x3a, 0xfe))}`,
    'a control character': `Basic ${encoded('admin:\u0007')}`,
    'another scheme': 'Digest username="admin"',
    'an unknown scheme': 'Hawk abc',
    'Bearer alone': 'Bearer',
    'Bearer with a space inside': 'Bearer a b',
    'two spaces': 'Bearer  ',
    'a token of the wrong form': 'Bearer rw_x',
    'no token at all': ',,,',
    'a quoted string': '"Basic"',
    'prototype keys': '__proto__ constructor',
    'an empty login and password': `Basic ${encoded(':')}`,
    'twelve KiB of password': `Basic ${encoded(`admin@example.org:${'x'.repeat(9000)}`)}`,
  }
  for (const [what, authorization] of Object.entries(malformed)) {
    for (const path of ['/articles', '/vaults', '/nothing-declared'.slice(0, 1)]) {
      const refused = await s.ask(`GET ${path}`, { authorization })
      assert.equal(refused.status, 401, `${what} ${path}`)
      assert.match(String(refused.fields['www-authenticate']), /^Basic realm="Access", Bearer realm="Access"/)
      assert.equal(refused.fields['cache-control'], 'no-store')
    }
  }
  const twice = await s.ask('GET /articles', {
    authorization: [admin.authorization, admin.authorization] as never,
  })
  assert.equal(twice.status, 400)
  const huge = await s.ask('GET /articles', { authorization: `Basic ${'A'.repeat(17_000)}` })
  assert.equal(huge.status, 431)
  const logged = JSON.stringify(s.observations)
  for (const secret of ['Hawk', 'rw_x', encoded('admin')]) assert.ok(!logged.includes(secret))
  assert.equal((await s.ask('GET /articles', admin)).status, 200)
})

test('the scheme’s name is case-insensitive, and a password may have colons (RFC 7617 §2)', async () => {
  await using s = await serve(definition)
  const colons = { email: 'colon@example.org', name: 'Colon', password: 'a:b:c: and more' }
  assert.equal((await s.ask('POST /users', {}, colons)).status, 201)
  const { authorization } = basic(colons.email, colons.password)
  for (const spelled of [authorization, authorization.replace('Basic', 'bAsIC')]) {
    assert.equal((await s.ask('GET /tokens', { authorization: spelled })).status, 200)
  }
})

test('credentials in the query are no credentials (RFC 6750 §2.3 is not offered)', async () => {
  await using s = await serve(definition)
  const token = await s.ask('POST /tokens', admin, {})
  assert.equal((await s.ask(`GET /tokens?access_token=${token.json.token}`)).status, 401)
  assert.equal((await s.ask(`GET /articles?access_token=${token.json.token}`)).status, 400)
})

test('an unknown login and a wrong password get the same response in the same way', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  const wrong = await s.ask('GET /tokens', basic(ada.login, 'not the password'))
  const unknown = await s.ask('GET /tokens', basic('nobody@example.org', 'not the password'))
  const masked = ({ status, fields, text }: typeof wrong) => {
    const { date: _, 'request-id': id, ...rest } = fields
    return { status, rest, text: text.replaceAll(String(id), '') }
  }
  assert.deepEqual(masked(wrong), masked(unknown))
})

test('failed sign-ins are 429 before 401, whatever else varies, and correct ones succeed', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  assert.equal((await s.ask('GET /tokens', as(ada))).status, 200)
  for (let failure = 0; failure < 10; failure += 1) {
    const varied = {
      ...basic(failure % 2 ? ada.login : ada.login.toUpperCase(), `wrong ${failure}`),
      'x-try': `${failure}`,
    }
    assert.equal((await s.ask(`GET /articles?limit=${failure + 1}`, varied)).status, 401, String(failure))
  }
  const refused = await s.ask('POST /articles', basic(ada.login, 'wrong again'), { title: 'x' })
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.fields['retry-after']) >= 1)
  assert.equal(refused.json.type, '/problems/too-many-requests')
  assert.equal((await s.ask('GET /tokens', as(ada))).status, 200, 'a remembered password is no attempt')
  assert.equal((await s.ask('GET /tokens', admin)).status, 200)
  s.advance(61_000)
  assert.equal((await s.ask('GET /tokens', as(ada))).status, 200)
})

test('a wrong password right after a right one is wrong', async () => {
  await using s = await serve(definition)
  const ada = await account(s.ask, 'ada')
  assert.equal((await s.ask('GET /tokens', as(ada))).status, 200)
  assert.equal((await s.ask('GET /tokens', basic(ada.login, `${pass}x`))).status, 401)
  assert.equal((await s.ask('GET /tokens', basic(ada.login, ''))).status, 401)
})

test('callers past their rate get 429 with what they have left, operators’ paths never', async () => {
  await using s = await serve(definition, { rate: 3 })
  for (const left of [2, 1, 0]) {
    const { fields, status } = await s.ask('GET /articles')
    assert.equal(status, 200)
    assert.match(String(fields.ratelimit), new RegExp(`^"default";r=${left};t=\\d+$`))
    assert.equal(fields['ratelimit-policy'], '"default";q=3;w=60')
  }
  const refused = await s.ask('GET /vaults')
  assert.equal(refused.status, 429, 'before 401 and 403')
  assert.equal(refused.fields['cache-control'], 'no-store')
  assert.equal(refused.fields['retry-after'], '20')
  assert.match(String(refused.fields.ratelimit), /^"default";r=0;t=20$/)
  for (let round = 0; round < 5; round += 1) {
    assert.equal((await s.ask('GET /health/live')).status, 200)
    assert.equal((await s.ask('GET /status')).status, 401)
  }
  assert.equal((await s.ask('GET /articles', admin)).status, 200, 'an account is another caller')
  s.advance(20_000)
  assert.equal((await s.ask('GET /articles')).status, 200)
})

test('an account has one allowance, whichever of its tokens it shows (RFC 6585 §4)', async () => {
  await using s = await serve(definition, { rate: 5 })
  const tokens: string[] = []
  for (let count = 0; count < 3; count += 1) {
    tokens.push((await s.ask('POST /tokens', admin, {})).json.token)
  }
  for (const [index, left] of [1, 0].entries()) {
    const { fields } = await s.ask('GET /articles', bearer(tokens[index] ?? ''))
    assert.match(String(fields.ratelimit), new RegExp(`r=${left};`))
  }
  assert.equal((await s.ask('GET /articles', bearer(tokens[2] ?? ''))).status, 429)
  assert.equal((await s.ask('GET /articles', admin)).status, 429)
  assert.equal((await s.ask('GET /articles')).status, 200, 'its address is another caller')
})

const unauthenticated: readonly (readonly [string, Record<string, string>, number])[] = [
  ['GET /nothing', {}, 404],
  ['GET /nothing', admin, 404],
  ['OPTIONS /articles', {}, 204],
  ['OPTIONS *', {}, 204],
  ['DELETE /articles', {}, 405],
  ['GET /articles', { authorization: 'Bearer unknown' }, 401],
  ['GET /articles', { authorization: 'Basic !' }, 401],
  ['LINK /articles', {}, 405],
  ['GET /articles/', {}, 301],
  ['GET /sign-in', {}, 200],
]
for (const [line, fields, status] of unauthenticated) {
  const [scheme = 'no credentials'] = (fields.authorization ?? '').split(' ').filter(Boolean)
  test(`${line} with ${scheme} counts against the address: ${status}, then 429 (RFC 6585 §4)`, async () => {
    await using s = await serve(definition, { rate: 2 })
    for (const left of [1, 0]) {
      const response = await s.ask(line, fields)
      assert.equal(response.status, status)
      assert.match(String(response.fields.ratelimit), new RegExp(`r=${left};`))
    }
    const refused = await s.ask(line, fields)
    assert.equal(refused.status, 429)
    assert.equal(refused.fields['retry-after'], '30')
    assert.equal((await s.ask('GET /articles')).status, 429)
    assert.equal((await s.ask('GET /articles', admin)).status, 200)
    assert.equal((await s.ask('GET /health/live')).status, 200)
  })
}

test('RateLimit is on every response of a limited request: errors and 304 too', async () => {
  await using s = await serve(definition, { rate: 100 })
  const tag = String((await s.ask('GET /articles')).fields.etag)
  for (const [line, fields, status] of [
    ['GET /articles', { 'if-none-match': tag }, 304],
    ['GET /articles/1', {}, 404],
    ['GET /articles?x=1', {}, 400],
    ['GET /articles', { accept: 'image/png' }, 406],
    ['GET /vaults', {}, 401],
  ] as const) {
    const response = await s.ask(line, fields)
    assert.equal(response.status, status)
    assert.match(String(response.fields.ratelimit), /^"default";r=\d+;t=\d+$/, line)
  }
})

test('forwarding fields are ignored unless the peer is a trusted proxy', async () => {
  await using open = await serve(definition, { rate: 2 })
  const spoofed = (last: number) => ({
    'x-forwarded-for': `192.0.2.${last}`,
    forwarded: `for=192.0.2.${last};proto=https`,
    'x-forwarded-proto': 'https',
  })
  await open.ask('GET /articles', spoofed(1))
  const direct = await open.ask('GET /articles', spoofed(2))
  assert.equal(direct.fields['strict-transport-security'], undefined)
  assert.equal((await open.ask('GET /articles', spoofed(3))).status, 429)

  await using behind = await serve(definition, { rate: 2, trusted: ['127.0.0.0/8', '::1'] })
  for (const last of [1, 2, 3]) {
    const response = await behind.ask('GET /articles', spoofed(last))
    assert.match(String(response.fields.ratelimit), /r=1;/)
    assert.equal(response.fields['strict-transport-security'], 'max-age=31536000')
  }
  const disagreeing = { ...spoofed(4), forwarded: 'for=192.0.2.5' }
  assert.match(String((await behind.ask('GET /articles', disagreeing)).fields.ratelimit), /r=1;/)
  assert.match(String((await behind.ask('GET /articles')).fields.ratelimit), /r=0;/)
})

test('only a trusted proxy sets the request id by its trace', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const named = '0af76519-16cd-43dd-8448-eb211c80319c'
  await using open = await serve(definition)
  assert.notEqual((await open.ask('GET /', { traceparent })).fields['request-id'], named)
  await using behind = await serve(definition, { trusted: ['127.0.0.1'] })
  const refused = await behind.ask('GET /vaults', { traceparent })
  assert.equal(refused.fields['request-id'], named)
  assert.equal(refused.json.instance, `urn:uuid:${named}`)
  for (const bad of [
    '',
    'x',
    traceparent.toUpperCase(),
    `ff${traceparent.slice(2)}`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  ]) {
    assert.match(String((await behind.ask('GET /', { traceparent: bad })).fields['request-id']), /-7...-/)
  }
})

test('without listed origins no response knows of CORS', async () => {
  await using s = await serve(definition)
  const response = await s.ask('GET /articles', { origin })
  assert.equal(response.fields['access-control-allow-origin'], undefined)
  assert.ok(!String(response.fields.vary).includes('Origin'))
})

test('a preflight of a listed origin succeeds without credentials and lists what may be sent', async () => {
  await using s = await serve(listed)
  const { status, fields } = await s.ask('OPTIONS /articles/1', {
    origin,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'authorization,if-match',
  })
  assert.equal(status, 204)
  assert.equal(fields['access-control-allow-origin'], origin)
  assert.equal(fields['access-control-allow-methods'], 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS')
  assert.match(String(fields['access-control-allow-headers']), /Authorization/)
  assert.match(String(fields['access-control-max-age']), /^\d+$/)
  assert.equal(fields['access-control-allow-credentials'], undefined)
  assert.match(String(fields.vary), /Origin, Access-Control-Request-Method, Access-Control-Request-Headers$/)
})

test('pages of a listed origin can read every response and its fields; Vary always names Origin', async () => {
  await using s = await serve(listed)
  for (const [line, status] of [
    ['GET /articles', 200],
    ['GET /articles/1', 404],
    ['GET /vaults', 401],
    ['GET /nothing', 404],
  ] as const) {
    const allowed = await s.ask(line, { origin })
    assert.equal(allowed.status, status)
    assert.equal(allowed.fields['access-control-allow-origin'], origin, line)
    assert.match(String(allowed.fields['access-control-expose-headers']), /ETag.*Link.*Location.*RateLimit/)
    for (const fields of [{}, { origin: 'https://evil.example' }]) {
      const other = await s.ask(line, fields)
      assert.equal(other.fields['access-control-allow-origin'], undefined)
      assert.match(String(other.fields.vary), /(^|, )Origin$/, line)
    }
  }
})

test('an unsafe request with a password from a page of another origin is 403', async () => {
  await using s = await serve(listed)
  const ada = await account(s.ask, 'ada')
  const token = await s.ask('POST /tokens', as(ada), {})
  const post = async (fields: Record<string, string>) =>
    (await s.ask('POST /articles', fields, { title: 'x' })).status
  const own = `http://127.0.0.1:${s.port}`
  for (const evil of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: `${own}.evil.example` },
    { origin: 'https://app.example.evil.example' },
  ]) {
    assert.equal(await post({ ...as(ada), ...evil }), 403, JSON.stringify(evil))
    assert.equal(
      await post({ ...bearer(token.json.token), ...evil }),
      201,
      'no browser adds a token by itself',
    )
    assert.equal((await s.ask('GET /articles', { ...as(ada), ...evil })).status, 200, 'reading is safe')
  }
  for (const good of [
    {},
    { origin: own },
    { origin: own, 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin, 'sec-fetch-site': 'cross-site' },
  ]) {
    assert.equal(await post({ ...as(ada), ...good }), 201, JSON.stringify(good))
  }
  const unread = await s.ask(
    'POST /articles',
    { ...as(ada), origin: 'null', 'content-type': 'application/json' },
    '{',
  )
  assert.equal(unread.status, 403, 'before content is read')
})

test('an overloaded service responds 503 at once, and health checks continue', async () => {
  await using s = await serve(definition, { overload: { concurrency: 0 } })
  const refused = await s.ask('GET /articles')
  assert.equal(refused.status, 503)
  assert.match(String(refused.fields['retry-after']), /^[1-5]$/)
  assert.equal(refused.fields['cache-control'], 'no-store')
  for (const path of ['/health/live', '/health/ready', '/health/live?x=1']) {
    assert.notEqual((await s.ask(`GET ${path}`)).status, 503, path)
  }
  for (const path of ['/healthy', '/metricsx', '/articles?/health', '//health']) {
    assert.equal((await s.ask(`GET ${path}`)).status, 503, path)
  }
})

test('an account without a role has none, whatever the roles are called', async () => {
  const roles = choice(['admin', 'null', 'undefined']).writableBy(role('admin'))
  const people = resource(
    { email: email().unique(), password: password(), role: roles.optional() },
    { access: { read: anyone, create: anyone } },
  )
  const only = resource({ title: text() }, { access: { read: role('null', 'undefined') } })
  const definition = service({
    title: 'Roles',
    accounts: { resource: 'people', login: 'email', password: 'password', roles: 'role' },
    resources: { people, only },
  })
  await using s = await serve(definition)
  for (const [name, body, status] of [
    ['ada', {}, 403],
    ['bob', { role: 'null' }, 200],
  ] as const) {
    const person = { email: `${name}@example.org`, password: 'analytical', ...body }
    assert.equal((await s.ask('POST /people', admin, person)).status, 201)
    const asked = await s.ask('GET /only', basic(person.email, person.password))
    assert.equal(asked.status, status, name)
  }
})
