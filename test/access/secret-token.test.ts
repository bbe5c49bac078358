/** The secret part of a token: its form, its checksum, its randomness. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areScopesWithin, scopesPermit } from '../../src/access/scopes.ts'
import { createSecretToken, isSecretToken, sha256 } from '../../src/access/secret-token.ts'

test('a token is rw_, 43 characters for 32 random octets, and 6 for the checksum', () => {
  const created = new Set(Array.from({ length: 1000 }, createSecretToken))
  assert.equal(created.size, 1000)
  for (const secret of created) {
    assert.match(secret, /^rw_[0-9A-Za-z]{49}$/)
    assert.ok(isSecretToken(secret))
  }
})

test('the checksum detects one mistyped, missing or additional character', () => {
  const secret = createSecretToken()
  for (let at = 3; at < secret.length; at += 1) {
    const other = secret[at] === 'a' ? 'b' : 'a'
    assert.ok(!isSecretToken(`${secret.slice(0, at)}${other}${secret.slice(at + 1)}`), String(at))
  }
  for (const bad of [
    '',
    'rw_',
    secret.slice(0, -1),
    `${secret}0`,
    ` ${secret}`,
    secret.toUpperCase(),
    `rw_${'0'.repeat(49)}`,
  ]) {
    assert.ok(!isSecretToken(bad), bad)
  }
})

test('only its SHA-256 is stored', () => {
  assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a scope permits its action on its collection, `write` every change, `*` every collection', () => {
  const scopes = new Set(['articles:read', 'users:write', '*:delete'])
  assert.ok(scopesPermit(scopes, 'articles', 'read'))
  assert.ok(!scopesPermit(scopes, 'articles', 'update'))
  assert.ok(scopesPermit(scopes, 'articles', 'delete'))
  assert.ok(scopesPermit(scopes, 'users', 'create') && scopesPermit(scopes, 'users', 'update'))
  assert.ok(!scopesPermit(scopes, 'users', 'read'))
  assert.ok(!scopesPermit(new Set(), 'articles', 'read'))
  assert.ok(!scopesPermit(new Set(['']), '', 'read'))
})

test('scopes are within others if those permit everything that they permit', () => {
  const own = new Set(['articles:read', 'articles:write', '*:create'])
  assert.ok(areScopesWithin(new Set(['articles:update', 'users:create', '*:create']), own))
  for (const beyond of ['*:read', 'users:read', '*:write', 'users:write', 'users:delete']) {
    assert.ok(!areScopesWithin(new Set([beyond]), own), beyond)
  }
  assert.ok(areScopesWithin(new Set(), new Set()))
})
