/** Tokens: shown once, limited by their scopes, void with their owner and password (docs/reference/http/access.md, "Access"). */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256 } from '../../../src/access/secret-token.ts'
import { account, as, bearer, definition, pass } from '../../access/sample.ts'
import { admin, basic, serve, type TestService } from '../../service.ts'

const day = 86_400_000

async function tokenOf(s: TestService, caller: Record<string, string>, body: object = {}) {
  const created = await s.request('POST /tokens', caller, body)
  assert.equal(created.status, 201, created.text)
  return { ...bearer(created.json.token), id: created.json.id as string, json: created.json }
}

test('a token is shown once, stored as its SHA-256, and never stored by caches', async () => {
  await using s = await serve(definition)
  const created = await s.request('POST /tokens', admin, { name: 'ci' })
  assert.equal(created.status, 201)
  assert.match(created.json.token, /^rw_[0-9A-Za-z]{49}$/)
  assert.equal(created.fields.location, `/tokens/${created.json.id}`)
  assert.equal(created.fields['cache-control'], 'no-store')
  assert.equal(created.fields['content-location'], undefined)
  assert.deepEqual(created.json.scopes, ['*:read', '*:write'])
  const shown = await s.request(`GET /tokens/${created.json.id}`, admin)
  const { token: _, ...rest } = created.json
  assert.deepEqual(shown.json, rest)
  assert.equal(shown.fields['cache-control'], 'no-store')
  const listed = await s.request('GET /tokens', admin)
  assert.equal(listed.fields['cache-control'], 'no-store')
  assert.equal(listed.text.includes('rw_'), false)
  const question = { table: 'tokens', column: '_identity', value: created.json.id, evaluated: [] }
  const row = await s.service.store.find(question)
  assert.ok(row?.includes(sha256(created.json.token)))
  assert.ok(!row?.includes(created.json.token))
})

test('a new token is shown in every format, whatever is preferred, and never stored for replay', async () => {
  await using s = await serve(definition)
  for (const format of ['json', 'hal', 'xml']) {
    const created = await s.request(
      `POST /tokens?format=${format}`,
      { ...admin, prefer: 'return=minimal' },
      {},
    )
    assert.equal(created.status, 201, created.text)
    assert.match(created.text, /rw_[0-9A-Za-z]{49}/, format)
    assert.equal(created.fields['preference-applied'], undefined)
    assert.equal(created.fields['cache-control'], 'no-store')
  }
  const listed = await s.request('GET /tokens', { ...admin, accept: 'application/prs.hal-forms+json' })
  const inputs = listed.json._templates.default.properties.map(({ name }: { name: string }) => name)
  assert.deepEqual(inputs, ['name', 'scopes', 'expiresIn'])
  assert.doesNotMatch(listed.text, /passwordMark|rw_/)
  assert.equal((await s.request('POST /tokens', { ...admin, 'idempotency-key': 'a' }, {})).status, 400)
})

test('a token authenticates its owner on every request', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const token = await tokenOf(s, as(ada))
  const created = await s.request('POST /articles', as(token), { title: 'x' })
  assert.equal(created.status, 201)
  assert.equal(created.json.author, ada.id)
  assert.equal((await s.request(`PATCH /users/${ada.id}`, as(token), { name: 'Ada L' })).status, 200)
  assert.equal(
    (await s.request('GET /articles', { authorization: `bearer ${token.json.token}` })).status,
    200,
  )
})

test('a token created with a password has the roles of its account', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const token = await tokenOf(s, admin)
  const { status, text } = await s.request(`PATCH /users/${ada.id}`, as(token), { role: 'admin' })
  assert.equal(status, 200, text)
})

test('a token does no more than its scopes, and no more than its owner', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const article = await s.request('POST /articles', as(ada), { title: 'x' })
  const reader = await tokenOf(s, as(ada), { scopes: ['articles:read'] })
  const at = `/articles/${article.json.id}`
  assert.equal((await s.request(`GET ${at}`, as(reader))).status, 200)
  for (const [line, scope] of [
    ['POST /articles', 'articles:create'],
    [`PUT ${at}`, 'articles:update'],
    [`PATCH ${at}`, 'articles:update'],
    [`DELETE ${at}`, 'articles:delete'],
    ['GET /users', 'users:read'],
    ['GET /tokens', 'tokens:read'],
    ['POST /tokens', 'tokens:create'],
  ] as const) {
    const refused = await s.request(line, as(reader), line.startsWith('GET') ? undefined : {})
    assert.equal(refused.status, 403, line)
    const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
    assert.equal(refused.fields['www-authenticate'], challenge, line)
  }
  const strong = await tokenOf(s, as(ada), { scopes: ['*:read', '*:write'] })
  assert.equal((await s.request('GET /vaults', as(strong))).status, 403)
  const home = await s.request('GET /', as(reader))
  const collections = Object.keys(home.json.links).filter((name) => s.service.model.resources.has(name))
  assert.deepEqual(collections, ['articles'])
})

test('a writer without the right to read gets no content back', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const writer = await tokenOf(s, as(ada), { scopes: ['articles:write'] })
  const created = await s.request('POST /articles', as(writer), { title: 'x' })
  assert.equal(created.status, 201)
  assert.equal(created.text, '')
  assert.equal((await s.request(`PATCH ${created.fields.location}`, as(writer), { title: 'y' })).status, 204)
  assert.equal((await s.request(`GET ${created.fields.location}`, as(writer))).status, 403)
})

test('a token creates tokens with no more than its own scopes and time', async () => {
  await using s = await serve(definition)
  const maker = await tokenOf(s, admin, {
    scopes: ['articles:read', 'tokens:create'],
    expiresIn: 1000,
  })
  const heir = await tokenOf(s, as(maker))
  assert.deepEqual(heir.json.scopes, ['articles:read', 'tokens:create'])
  assert.equal(heir.json.expiresAt, maker.json.expiresAt)
  assert.equal((await s.request('POST /tokens', as(maker), { scopes: ['articles:read'] })).status, 201)
  for (const scope of ['articles:write', '*:read', 'tokens:read', 'tokens:write', 'users:read']) {
    assert.equal((await s.request('POST /tokens', as(maker), { scopes: [scope] })).status, 403, scope)
  }
  assert.equal((await s.request('POST /tokens', as(maker), { expiresIn: 2000 })).status, 403)
  assert.equal((await s.request('POST /tokens', as(maker), { expiresIn: 500 })).status, 201)
})

test('all faults of a new token are reported at once', async () => {
  await using s = await serve(definition)
  const refused = async (body: object, ...pointers: string[]) => {
    const { status, json } = await s.request('POST /tokens', admin, body)
    assert.equal(status, 422, JSON.stringify(body))
    const found = json.errors.map(({ pointer }: { pointer: string }) => pointer)
    assert.deepEqual(found.sort(), pointers.sort())
  }
  await refused(
    { token: 'x', owner: 'y', expiresAt: 'z', passwordMark: 'm', id: 'i' },
    '/token',
    '/owner',
    '/expiresAt',
    '/passwordMark',
    '/id',
  )
  await refused({ scopes: [] }, '/scopes')
  await refused({ scopes: null }, '/scopes')
  await refused({ scopes: ['articles:read', 'nothing:read'] }, '/scopes/1')
  await refused({ scopes: ['__proto__:read', '*:*'] }, '/scopes/0', '/scopes/1')
  for (const expiresIn of [0, -1, 1.5, '60', null, 31_536_001]) await refused({ expiresIn }, '/expiresIn')
  const longest = await tokenOf(s, admin, { expiresIn: 31_536_000 })
  const shortest = await tokenOf(s, admin, { expiresIn: 1 })
  assert.ok(longest.json.expiresAt > shortest.json.expiresAt)
  assert.equal((await s.request('POST /tokens', {}, {})).status, 401)
  assert.equal((await s.request('GET /tokens')).status, 401)
})

test('an expired token is dead to the millisecond, and one of 90 days by default lives as long', async () => {
  await using s = await serve(definition)
  const token = await tokenOf(s, admin)
  const rest = Date.parse(token.json.expiresAt) - Date.now()
  assert.ok(rest > 89.9 * day && rest <= 90 * day)
  s.advance(rest - 5000)
  assert.equal((await s.request('GET /tokens', as(token))).status, 200)
  s.advance(5001)
  const dead = await s.request('GET /articles', as(token))
  assert.equal(dead.status, 401)
  assert.match(
    String(dead.fields['www-authenticate']),
    /^Basic realm="Access", Bearer realm="Access", error="invalid_token"$/,
  )
})

test('a deleted token is dead at once; others cannot see or delete it', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const token = await tokenOf(s, as(ada))
  assert.equal((await s.request(`GET /tokens/${token.id}`, admin)).status, 404)
  assert.equal((await s.request(`DELETE /tokens/${token.id}`, admin)).status, 404)
  assert.deepEqual((await s.request('GET /tokens', admin)).json, [])
  assert.equal((await s.request('GET /articles', as(token))).status, 200)
  assert.equal((await s.request(`DELETE /tokens/${token.id}`, as(token))).status, 204)
  assert.equal((await s.request('GET /articles', as(token))).status, 401)
})

test('a changed password voids every token created with the old one', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const token = await tokenOf(s, as(ada))
  const proof = { currentPassword: pass }
  const again = await s.request(`PATCH /users/${ada.id}`, as(ada), { password: pass, ...proof })
  assert.equal(again.status, 200)
  assert.equal((await s.request('GET /articles', as(token))).status, 200, 'the same password changes nothing')
  assert.equal((await s.request(`PATCH /users/${ada.id}`, as(ada), { name: 'Other' })).status, 200)
  assert.equal((await s.request('GET /articles', as(token))).status, 200, 'another name changes nothing')
  const change = { password: 'another one', ...proof }
  assert.equal((await s.request(`PATCH /users/${ada.id}`, as(ada), change)).status, 200)
  assert.equal((await s.request('GET /articles', as(token))).status, 401)
  assert.equal((await s.request('GET /articles', as(ada))).status, 401)
  const renewed = basic(ada.login, 'another one')
  assert.equal((await s.request('GET /tokens', renewed)).json.length, 1)
  await tokenOf(s, renewed)
  assert.equal((await s.request('GET /tokens', renewed)).json.length, 1, 'the dead one is swept away')
})

test('a deleted account voids its tokens, and no later account gets them', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const token = await tokenOf(s, as(ada))
  assert.equal((await s.request(`DELETE /users/${ada.id}`, admin)).status, 204)
  assert.equal((await s.request('GET /articles', as(token))).status, 401)
  await account(s.request, 'ada')
  assert.equal((await s.request('GET /articles', as(token))).status, 401)
})

test('the day of last use is noted once a day', async () => {
  await using s = await serve(definition)
  const token = await tokenOf(s, admin)
  const show = async () => (await s.request(`GET /tokens/${token.id}`, admin)).json
  assert.equal((await show()).lastUsedOn, undefined)
  await s.request('GET /articles', as(token))
  const first = await show()
  assert.match(first.lastUsedOn, /^\d{4}-\d\d-\d\d$/)
  await s.request('GET /articles', as(token))
  assert.deepEqual(await show(), first)
  s.advance(day)
  await s.request('GET /articles', as(token))
  assert.ok((await show()).lastUsedOn > first.lastUsedOn)
})

test('tokens are read and deleted like any resource, and can never be changed', async () => {
  await using s = await serve(definition)
  const token = await tokenOf(s, admin)
  for (const method of ['PUT', 'PATCH']) {
    const refused = await s.request(`${method} /tokens/${token.id}`, admin, {})
    assert.equal(refused.status, 405)
    assert.equal(refused.fields.allow, 'GET, HEAD, DELETE, OPTIONS')
  }
  const { fields } = await s.request(`GET /tokens/${token.id}`, admin)
  const unchanged = await s.request(`GET /tokens/${token.id}`, {
    ...admin,
    'if-none-match': String(fields.etag),
  })
  assert.equal(unchanged.status, 304)
})

test('an account has at most 500 living tokens', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const first = await tokenOf(s, as(ada))
  // On a busy machine each one counts slowly, and a caller has at most 30 slow reads that wait.
  for (let created = 1; created < 500; created += 25) {
    await Promise.all(Array.from({ length: Math.min(25, 500 - created) }, () => tokenOf(s, as(ada))))
  }
  assert.equal((await s.request('POST /tokens', as(ada), {})).status, 403)
  assert.equal((await s.request(`DELETE /tokens/${first.id}`, as(ada))).status, 204)
  await tokenOf(s, as(ada))
  assert.equal((await s.request(`DELETE /users/${ada.id}`, as(ada))).status, 204)
})
