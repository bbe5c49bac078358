/** The addresses that webhooks connect to: only globally reachable ones, checked when the connection is made. */

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type ResolveHost, sendWebhookRequest } from '../../../src/features/webhooks/send-request.ts'
import { noNetworks, parseNetworks } from '../../../src/http/ip-network.ts'
import { isGloballyReachable } from '../../../src/http/reachable-address.ts'

test('addresses of the IANA special-purpose registries are not reachable', () => {
  for (const address of [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '100::1',
    '2001:db8::1',
    '2001::1',
    '3fff::1',
    '5f00::1',
    '64:ff9b:1::1',
    'not an address',
    '',
  ]) {
    assert.equal(isGloballyReachable(address), false, address)
  }
})

test('an embedded IPv4 address decides: IPv4-mapped, IPv4-compatible, NAT64 and 6to4', () => {
  for (const [inner, expected] of [
    ['127.0.0.1', false],
    ['10.0.0.1', false],
    ['169.254.169.254', false],
    ['93.184.215.14', true],
  ] as const) {
    const [a = 0, b = 0, c = 0, d = 0] = inner.split('.').map(Number)
    const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    for (const address of [
      `::ffff:${inner}`,
      `::ffff:${groups}`,
      `::${groups}`,
      `64:ff9b::${groups}`,
      `2002:${groups}::1`,
    ]) {
      assert.equal(isGloballyReachable(address), expected, address)
    }
  }
})

test('public addresses are reachable', () => {
  for (const address of [
    '1.1.1.1',
    '93.184.215.14',
    '172.32.0.1',
    '192.0.1.1',
    '2606:4700::1111',
    '2a00::1',
  ]) {
    assert.equal(isGloballyReachable(address), true, address)
  }
})

test('a literal private address gets no connection', async () => {
  await using target = await startTarget()
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '[::1]', '0.0.0.0']) {
    assert.deepEqual(await send(`http://${host}:${target.port}/`), noPublicAddress, host)
  }
  assert.equal(target.count(), 0)
})

test('a name that resolves to a private address gets no connection, whatever else it resolves to', async () => {
  await using target = await startTarget()
  const local = { address: '127.0.0.1', family: 4 }
  assert.deepEqual(await send(`http://hook.test:${target.port}/`, async () => [local]), noPublicAddress)
  const mapped = { address: '::ffff:127.0.0.1', family: 6 }
  assert.deepEqual(
    await send(`http://hook.test:${target.port}/`, async () => [mapped, local]),
    noPublicAddress,
  )
  assert.equal(target.count(), 0)
})

test('the connection uses the addresses that were checked, so a second answer changes nothing', async () => {
  await using target = await startTarget()
  let questions = 0
  const rebinding: ResolveHost = async () => {
    questions += 1
    // The first answer is public; a second question would get the local address.
    return [{ address: questions === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }]
  }
  const networks = parseNetworks(['192.0.2.0/24']) ?? noNetworks
  const result = await sendWebhookRequest(
    { url: `http://hook.test:${target.port}/`, fields: {}, body: '{}' },
    { networks, timeout: 300, resolve: rebinding },
    new AbortController().signal,
  )
  assert.equal(result.kind, 'error')
  assert.equal(questions, 1)
  assert.equal(target.count(), 0)
})

test('a redirect to another address is not followed', async () => {
  await using hidden = await startTarget()
  await using target = await startTarget(`http://127.0.0.1:${hidden.port}/`)
  const networks = parseNetworks(['127.0.0.1']) ?? noNetworks
  const result = await sendWebhookRequest(
    { url: `http://127.0.0.1:${target.port}/`, fields: {}, body: '{}' },
    { networks, timeout: 60_000 },
    new AbortController().signal,
  )
  assert.deepEqual(result, { kind: 'response', status: 307, retryAfter: undefined })
  assert.equal(hidden.count(), 0)
})

test('a host without an address has the same reason as one with a private address', async () => {
  const unknown = () => Promise.reject(new Error('ENOTFOUND'))
  assert.deepEqual(await send('http://hook.test/', unknown), noPublicAddress)
})

test('a configured network is an exception', async () => {
  await using target = await startTarget()
  const networks = parseNetworks(['127.0.0.1']) ?? noNetworks
  const result = await sendWebhookRequest(
    { url: `http://hook.test:${target.port}/`, fields: {}, body: '{}' },
    { networks, timeout: 60_000, resolve: async () => [{ address: '127.0.0.1', family: 4 }] },
    new AbortController().signal,
  )
  assert.deepEqual(result, { kind: 'response', status: 204, retryAfter: undefined })
})

const noPublicAddress = { kind: 'error', reason: 'The host has no public address.' }

function send(url: string, resolve?: ResolveHost) {
  const options = { networks: noNetworks, timeout: 60_000, ...(resolve && { resolve }) }
  return sendWebhookRequest({ url, fields: {}, body: '{}' }, options, new AbortController().signal)
}

/** A server on this machine that counts its connections, and perhaps redirects. */
async function startTarget(location?: string) {
  let connections = 0
  const server: Server = createServer((_, response) => {
    if (location === undefined) response.writeHead(204).end()
    else response.writeHead(307, { location }).end()
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    count: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
