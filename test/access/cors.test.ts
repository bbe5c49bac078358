/** Pages of other origins: CORS and cross-site requests. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { service } from '../../src/index.ts'
import { serve } from '../service.ts'
import { account, accounts, articles, as, bearer, definition, notes, users, vaults } from './sample.ts'

const origin = 'https://app.example'

const listed = service({
  title: 'Listed',
  accounts,
  origins: [origin],
  resources: { users, articles, notes, vaults },
})

test('without listed origins no response knows of CORS', async () => {
  await using s = await serve(definition)
  const response = await s.request('GET /articles', { origin })
  assert.equal(response.fields['access-control-allow-origin'], undefined)
  assert.ok(!String(response.fields.vary).includes('Origin'))
})

test('a preflight of a listed origin succeeds without credentials and lists what may be sent', async () => {
  await using s = await serve(listed)
  const { status, fields } = await s.request('OPTIONS /articles/1', {
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
    const allowed = await s.request(line, { origin })
    assert.equal(allowed.status, status)
    assert.equal(allowed.fields['access-control-allow-origin'], origin, line)
    assert.match(String(allowed.fields['access-control-expose-headers']), /ETag.*Link.*Location.*RateLimit/)
    for (const fields of [{}, { origin: 'https://evil.example' }]) {
      const other = await s.request(line, fields)
      assert.equal(other.fields['access-control-allow-origin'], undefined)
      assert.match(String(other.fields.vary), /(^|, )Origin$/, line)
    }
  }
})

test('an unsafe request with a password from a page of another origin is 403', async () => {
  await using s = await serve(listed)
  const ada = await account(s.request, 'ada')
  const token = await s.request('POST /tokens', as(ada), {})
  const post = async (fields: Record<string, string>) =>
    (await s.request('POST /articles', fields, { title: 'x' })).status
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
    assert.equal((await s.request('GET /articles', { ...as(ada), ...evil })).status, 200, 'reading is safe')
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
  const unread = await s.request(
    'POST /articles',
    { ...as(ada), origin: 'null', 'content-type': 'application/json' },
    '{',
  )
  assert.equal(unread.status, 403, 'before content is read')
})
