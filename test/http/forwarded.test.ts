/** Forwarded (RFC 7239) and X-Forwarded-*: whom a trusted proxy speaks for. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findForwardedClient } from '../../src/http/forwarded.ts'
import { parseNetworks } from '../../src/http/ip-network.ts'

const trusted = parseNetworks(['10.0.0.0/8', 'fd00::/8'])!
const behind = (fields: Record<string, string>) => findForwardedClient('10.0.0.1', fields, trusted)

test('the client is the right-most address that is not a trusted proxy', () => {
  for (const value of [
    '192.0.2.1',
    '198.51.100.9, 192.0.2.1',
    '198.51.100.9, 192.0.2.1, 10.0.0.2',
    'garbage, 192.0.2.1, 10.0.0.3 , 10.0.0.2',
    '192.0.2.1:4711',
    '::ffff:192.0.2.1',
  ]) {
    assert.equal(behind({ 'x-forwarded-for': value })?.address, '192.0.2.1', value)
  }
})

test('Forwarded has the same information (RFC 7239 §4)', () => {
  for (const value of [
    'for=192.0.2.1',
    'For="192.0.2.1:4711";proto=https;by=10.0.0.1',
    'for=198.51.100.9, for=192.0.2.1;proto=https, for=10.0.0.2',
    'for=_secret, for=192.0.2.1, for="[fd00::2]:80"',
  ]) {
    assert.equal(behind({ forwarded: value })?.address, '192.0.2.1', value)
  }
  const six = behind({ forwarded: 'for="[2001:db8::7]:1234";proto=HTTPS;host="shop.example"' })
  assert.deepEqual(six, { address: '2001:db8::7', proto: 'https', host: 'shop.example' })
})

test('an unknown or hidden client is counted as the proxy that hides it (RFC 7239 §6)', () => {
  for (const node of ['unknown', '_hidden', '"_a.b:80"', 'nonsense', '']) {
    assert.equal(behind({ forwarded: `for=192.0.2.1, for=${node || '""'}` })?.address, '10.0.0.1', node)
  }
  assert.equal(behind({ 'x-forwarded-for': '192.0.2.1, unknown, 10.0.0.2' })?.address, '10.0.0.2')
})

test('if the two fields name different clients, both are ignored', () => {
  const fields = { forwarded: 'for=192.0.2.1', 'x-forwarded-for': '198.51.100.9' }
  assert.equal(behind(fields), undefined)
  assert.equal(behind({ ...fields, 'x-forwarded-for': '192.0.2.1' })?.address, '192.0.2.1')
})

test('proto and host belong to the hop of their element', () => {
  const aligned = behind({
    'x-forwarded-for': '192.0.2.1, 10.0.0.2',
    'x-forwarded-proto': 'https, http',
    'x-forwarded-host': 'shop.example, inner',
  })
  assert.deepEqual(aligned, { address: '192.0.2.1', proto: 'https', host: 'shop.example' })
  const single = behind({ 'x-forwarded-for': '192.0.2.1, 10.0.0.2', 'x-forwarded-proto': 'https' })
  assert.equal(single?.proto, 'https')
  assert.equal(behind({ 'x-forwarded-proto': 'https' })?.proto, 'https')
  assert.equal(behind({}), undefined)
})
