/** Addresses and networks: one form for each, however it was written. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork, isLoopback, parseIpAddress, parseNetworks } from '../../src/http/ip-network.ts'

test('an address has one form, however it is written', () => {
  for (const [written, normal] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:C000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:DB8::1', '2001:db8::1'],
  ] as const) {
    assert.equal(parseIpAddress(written), normal, written)
  }
})

test('a text that is not an address is undefined', () => {
  for (const text of ['', 'unknown', '_hidden', '256.1.1.1', '1.2.3', '127.1', '0x7f.1', ':::1']) {
    assert.equal(parseIpAddress(text), undefined, text)
  }
})

test('a network has its addresses, mapped ones too, and no others', () => {
  const networks = parseNetworks(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'])
  assert.ok(networks)
  for (const inside of ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3', '2001:db8:ffff::', '192.0.2.7']) {
    assert.ok(networks.has(inside), inside)
  }
  for (const outside of ['9.255.255.255', '11.0.0.0', '2001:db9::', '192.0.2.8', 'unknown', '']) {
    assert.ok(!networks.has(outside), outside)
  }
})

test('a text that is not a network is refused, and so is the network of all addresses', () => {
  for (const text of [
    '',
    'true',
    '1',
    'localhost',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '::/129',
    '10/8',
    '0.0.0.0/0',
    '::/0',
    '::ffff:10.0.0.0/104',
  ]) {
    assert.equal(parseNetworks([text]), undefined, text)
  }
  assert.equal(parseNetworks([])?.has('127.0.0.1'), false)
})

test('a client is counted by its IPv4 address, or by its IPv6 /64', () => {
  assert.equal(clientNetwork('192.0.2.1'), '192.0.2.1')
  assert.equal(clientNetwork('::ffff:192.0.2.1'), '192.0.2.1')
  const one = clientNetwork('2001:db8:1:2:3:4:5:6')
  assert.equal(one, clientNetwork('2001:db8:1:2::1'))
  assert.notEqual(one, clientNetwork('2001:db8:1:3::1'))
})

test('loopback is recognized in every notation', () => {
  for (const host of ['localhost', '127.0.0.1', '127.8.8.8', '[::1]', '::1', '[::ffff:127.0.0.1]']) {
    assert.ok(isLoopback(host), host)
  }
  for (const host of ['localhost.example', '128.0.0.1', '[::2]', '0.0.0.0', '[::]', 'example.org']) {
    assert.ok(!isLoopback(host), host)
  }
})
