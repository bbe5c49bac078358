/** The secret part of a token: its form, its checksum, its randomness. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin, permits } from '../../src/access/scopes.ts'
import { digestOf, isSecret, makeSecret } from '../../src/access/secret-token.ts'

test('a token is rw_, 43 characters for 32 random octets, and 6 for the checksum', () => {
  const made = new Set(Array.from({ length: 1000 }, makeSecret))
  assert.equal(made.size, 1000)
  for (const secret of made) {
    assert.match(secret, /^rw_[0-9A-Za-z]{49}$/)
    assert.ok(isSecret(secret))
  }
})

test('one mistyped, missing or further character is told by the checksum', () => {
  const secret = makeSecret()
  for (let at = 3; at < secret.length; at += 1) {
    const other = secret[at] === 'a' ? 'b' : 'a'
    assert.ok(!isSecret(`${secret.slice(0, at)}${other}${secret.slice(at + 1)}`), String(at))
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
    assert.ok(!isSecret(bad), bad)
  }
})

test('what is kept of it is its SHA-256', () => {
  assert.equal(digestOf('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a scope permits its action on its collection, `write` every change, `*` every collection', () => {
  const scopes = new Set(['articles:read', 'users:write', '*:delete'])
  assert.ok(permits(scopes, 'articles', 'read'))
  assert.ok(!permits(scopes, 'articles', 'update'))
  assert.ok(permits(scopes, 'articles', 'delete'))
  assert.ok(permits(scopes, 'users', 'create') && permits(scopes, 'users', 'update'))
  assert.ok(!permits(scopes, 'users', 'read'))
  assert.ok(!permits(new Set(), 'articles', 'read'))
  assert.ok(!permits(new Set(['']), '', 'read'))
})

test('scopes are within others when those permit all that they do', () => {
  const own = new Set(['articles:read', 'articles:write', '*:create'])
  assert.ok(isWithin(new Set(['articles:update', 'users:create', '*:create']), own))
  for (const beyond of ['*:read', 'users:read', '*:write', 'users:write', 'users:delete']) {
    assert.ok(!isWithin(new Set([beyond]), own), beyond)
  }
  assert.ok(isWithin(new Set(), new Set()))
})
