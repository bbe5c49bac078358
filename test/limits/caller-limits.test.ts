/** Callers on a socket: rate limits, overload and trusted proxies. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bearer, definition } from '../access/sample.ts'
import { admin, serve } from '../service.ts'

test('callers past their rate get 429 with what they have left, operators’ paths never', async () => {
  await using s = await serve(definition, { rate: 3 })
  for (const left of [2, 1, 0]) {
    const { fields, status } = await s.request('GET /articles')
    assert.equal(status, 200)
    assert.match(String(fields.ratelimit), new RegExp(`^"default";r=${left};t=\\d+$`))
    assert.equal(fields['ratelimit-policy'], '"default";q=3;w=60')
  }
  const refused = await s.request('GET /vaults')
  assert.equal(refused.status, 429, 'before 401 and 403')
  assert.equal(refused.fields['cache-control'], 'no-store')
  assert.equal(refused.fields['retry-after'], '20')
  assert.match(String(refused.fields.ratelimit), /^"default";r=0;t=20$/)
  for (let round = 0; round < 5; round += 1) {
    assert.equal((await s.request('GET /health/live')).status, 200)
    assert.equal((await s.request('GET /status')).status, 401)
  }
  assert.equal((await s.request('GET /articles', admin)).status, 200, 'an account is another caller')
  s.advance(20_000)
  assert.equal((await s.request('GET /articles')).status, 200)
})

test('an account has one allowance, whichever of its tokens it shows (RFC 6585 §4)', async () => {
  await using s = await serve(definition, { rate: 5 })
  const tokens: string[] = []
  for (let count = 0; count < 3; count += 1) {
    tokens.push((await s.request('POST /tokens', admin, {})).json.token)
  }
  for (const [index, left] of [1, 0].entries()) {
    const { fields } = await s.request('GET /articles', bearer(tokens[index] ?? ''))
    assert.match(String(fields.ratelimit), new RegExp(`r=${left};`))
  }
  assert.equal((await s.request('GET /articles', bearer(tokens[2] ?? ''))).status, 429)
  assert.equal((await s.request('GET /articles', admin)).status, 429)
  assert.equal((await s.request('GET /articles')).status, 200, 'its address is another caller')
})

test('RateLimit is on every response of a limited request: errors and 304 too', async () => {
  await using s = await serve(definition, { rate: 100 })
  const tag = String((await s.request('GET /articles')).fields.etag)
  for (const [line, fields, status] of [
    ['GET /articles', { 'if-none-match': tag }, 304],
    ['GET /articles/1', {}, 404],
    ['GET /articles?x=1', {}, 400],
    ['GET /articles', { accept: 'image/png' }, 406],
    ['GET /vaults', {}, 401],
  ] as const) {
    const response = await s.request(line, fields)
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
  await open.request('GET /articles', spoofed(1))
  const direct = await open.request('GET /articles', spoofed(2))
  assert.equal(direct.fields['strict-transport-security'], undefined)
  assert.equal((await open.request('GET /articles', spoofed(3))).status, 429)

  await using behind = await serve(definition, { rate: 2, trusted: ['127.0.0.0/8', '::1'] })
  for (const last of [1, 2, 3]) {
    const response = await behind.request('GET /articles', spoofed(last))
    assert.match(String(response.fields.ratelimit), /r=1;/)
    assert.equal(response.fields['strict-transport-security'], 'max-age=31536000')
  }
  const disagreeing = { ...spoofed(4), forwarded: 'for=192.0.2.5' }
  assert.match(String((await behind.request('GET /articles', disagreeing)).fields.ratelimit), /r=1;/)
  assert.match(String((await behind.request('GET /articles')).fields.ratelimit), /r=0;/)
})

test('only a trusted proxy sets the request id by its trace', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const named = '0af76519-16cd-43dd-8448-eb211c80319c'
  await using open = await serve(definition)
  assert.notEqual((await open.request('GET /', { traceparent })).fields['request-id'], named)
  await using behind = await serve(definition, { trusted: ['127.0.0.1'] })
  const refused = await behind.request('GET /vaults', { traceparent })
  assert.equal(refused.fields['request-id'], named)
  assert.equal(refused.json.instance, `urn:uuid:${named}`)
  for (const bad of [
    '',
    'x',
    traceparent.toUpperCase(),
    `ff${traceparent.slice(2)}`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  ]) {
    assert.match(String((await behind.request('GET /', { traceparent: bad })).fields['request-id']), /-7...-/)
  }
})

test('an overloaded service responds 503 at once, and health checks continue', async () => {
  await using s = await serve(definition, { overload: { concurrency: 0 } })
  const refused = await s.request('GET /articles')
  assert.equal(refused.status, 503)
  assert.match(String(refused.fields['retry-after']), /^[1-5]$/)
  assert.equal(refused.fields['cache-control'], 'no-store')
  for (const path of ['/health/live', '/health/ready', '/health/live?x=1']) {
    assert.notEqual((await s.request(`GET ${path}`)).status, 503, path)
  }
  for (const path of ['/healthy', '/metricsx', '/articles?/health', '//health']) {
    assert.equal((await s.request(`GET ${path}`)).status, 503, path)
  }
})
