/** Holes of other services, tried here: credentials that outlive, match or reveal too much. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admin, basic, serve } from '../service.ts'
import { account, as, bearer, definition, pass } from './sample.ts'

test('GHSA-g65h-35f3-x2w3, GHSA-56p6-qw3c-fq2g, GHSA-hvp3-26wx-g2w4: no credential outlives what it stood for', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const token = bearer((await s.request('POST /tokens', as(ada), {})).json.token)
  assert.equal((await s.request('GET /tokens', token)).status, 200)
  // A lost role is lost at once, in a remembered password as in a token.
  assert.equal((await s.request(`PATCH /users/${ada.id}`, admin, { role: 'admin' })).status, 200)
  assert.equal((await s.request(`GET /users/${ada.id}`, token)).json.email, ada.login)
  assert.equal((await s.request(`PATCH /users/${ada.id}`, admin, { role: 'member' })).status, 200)
  const other = await account(s.request, 'other')
  for (const caller of [token, as(ada)]) {
    assert.equal((await s.request(`GET /users/${other.id}`, caller)).json.email, undefined)
  }
  const change = { password: 'changed it', currentPassword: pass }
  assert.equal((await s.request(`PATCH /users/${ada.id}`, as(ada), change)).status, 200)
  for (const caller of [token, as(ada)]) assert.equal((await s.request('GET /tokens', caller)).status, 401)
})

test('GHSA-26rv-h2hf-3fw4: the id of a deleted account is never another’s', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  const token = bearer((await s.request('POST /tokens', as(ada), {})).json.token)
  await s.request(`DELETE /users/${ada.id}`, admin)
  const next = await account(s.request, 'ada')
  assert.notEqual(next.id, ada.id)
  assert.equal((await s.request('GET /tokens', token)).status, 401)
})

test('GHSA-2cjv-6wg9-f4f3: a password counts to its last octet', async () => {
  await using s = await serve(definition)
  const long = 'x'.repeat(72)
  const body = { email: 'l@example.org', name: 'L', password: `${long}abc` }
  assert.equal((await s.request('POST /users', {}, body)).status, 201)
  assert.equal((await s.request('GET /tokens', basic(body.email, `${long}abd`))).status, 401)
  assert.equal((await s.request('GET /tokens', basic(body.email, long))).status, 401)
  assert.equal((await s.request('GET /tokens', basic(body.email, body.password))).status, 200)
})

test('rqlite: a stored hash is no password; and no token’s digest is a token', async () => {
  await using s = await serve(definition)
  const { model, store } = s.service
  const { accounts: known } = model
  const row = await store.find({
    table: 'users',
    column: 'email',
    value: 'admin@example.org',
    evaluated: [],
  })
  const hash = String(row?.[known?.password.index ?? 0])
  assert.match(hash, /^\$argon2id\$/)
  assert.equal((await s.request('GET /tokens', basic('admin@example.org', hash))).status, 401)
  const created = await s.request('POST /tokens', admin, {})
  const stored = await store.find({
    table: 'tokens',
    column: '_identity',
    value: created.json.id,
    evaluated: [],
  })
  const digest = String(stored?.[model.tokens?.fieldByName.get('token')?.index ?? 0])
  for (const forged of [digest, `rw_${digest}`, created.json.id]) {
    assert.equal((await s.request('GET /tokens', bearer(forged))).status, 401)
  }
})

test('GHSA-qw9g-7549-7wg5: a login matches itself and nothing like it', async () => {
  await using s = await serve(definition)
  const ada = await account(s.request, 'ada')
  assert.equal((await s.request('GET /tokens', basic('ADA@EXAMPLE.ORG', pass))).status, 200)
  for (const login of [
    'ádá@example.org',
    'ada@example.org ',
    'ada@exampIe.org',
    'ａda@example.org',
    "ada@example.org'--",
    '%',
    '',
  ]) {
    assert.equal((await s.request('GET /tokens', basic(login, pass))).status, 401, login)
  }
  assert.equal((await s.request(`GET /users/${ada.id}`, as(ada))).json.email, 'ada@example.org')
})
