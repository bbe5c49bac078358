/** Slow clients are disconnected at their limits and do not delay others (docs/reference/http/limits.md, Limits). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Handler } from '../../src/http/message.ts'
import { echo, membersOf, RawClient, serveRaw } from './raw.ts'

const limits = { headersTimeout: 150, requestTimeout: 300, keepAlive: 100, checkInterval: 20 }
const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

describe('408 (RFC 9110 §15.5.9)', () => {
  const late = {
    'a connection on which nothing is sent': '',
    'half a method': 'GE',
    'half a header section': 'GET / HTTP/1.1\r\nHost: a\r\nB: c',
  }
  for (const [kind, part] of Object.entries(late)) {
    test(`${kind} gets a response and a close at the limit`, async () => {
      await using service = await serveRaw(echo, { limits })
      const client = await service.open(...(part === '' ? [] : [part]))
      const responses = await client.rest()
      assert.deepEqual(
        responses.map(({ status, fields }) => [status, fields.connection]),
        [[408, 'close']],
      )
      assert.equal(service.requests.length, 0)
    })
  }
  test('the beginning of no known method is 501 at once', async () => {
    await using service = await serveRaw(echo, { limits })
    const [response] = await (await service.open('FO')).rest()
    assert.deepEqual([response?.status, response?.fields.connection], [501, 'close'])
  })
  test('missing content is one 408, and the read is refused', async () => {
    await using service = await serveRaw(echo, { limits })
    const message = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'
    const responses = await service.exhaust(message)
    assert.deepEqual(
      responses.map((response) => [response.status, membersOf(response).type]),
      [[408, 'request-timeout']],
    )
  })
  test('a partial message gets its response after that of the earlier request', async () => {
    const gate = Promise.withResolvers<void>()
    const handler: Handler = async (request) => {
      await gate.promise
      return echo(request)
    }
    await using service = await serveRaw(handler, { limits })
    const client = await service.open(get, 'GET / HT')
    setTimeout(gate.resolve, 2 * limits.headersTimeout)
    const responses = await client.rest()
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 408],
    )
  })
})

for (const stall of [limits.keepAlive, 10 * limits.keepAlive]) {
  const clocks = stall === limits.keepAlive ? 'one clock for both' : 'a clock of its own'
  test(`an idle connection is closed without a response (RFC 9112 §9.5), by ${clocks}`, async () => {
    await using service = await serveRaw(echo, { limits: { ...limits, stall } })
    const responses = await service.exhaust(get)
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200],
    )
  })
}

test('a client that has sent its request waits for as long as the service works on it', async () => {
  const gate = Promise.withResolvers<void>()
  const handler: Handler = async (request) => {
    if (request.method === 'PUT') await gate.promise
    return echo(request)
  }
  await using service = await serveRaw(handler, { limits: { ...limits, stall: limits.keepAlive } })
  const client = await service.open('PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx')
  // Each of these idle connections is closed at the limit, so the first one has waited longer.
  for (let count = 0; count < 3; count += 1) assert.equal((await service.exhaust(get)).length, 1)
  gate.resolve()
  assert.equal((await client.one()).status, 200)
  client.destroy()
})

test('a client that does not read its response is disconnected', async () => {
  const body = 'x'.repeat(20_000_000)
  const handler: Handler = async () => ({ status: 200, fields: {}, body })
  await using service = await serveRaw(handler, { limits: { ...limits, stall: 200 } })
  const client = await service.open(get)
  client.socket.pause()
  const gone = Promise.withResolvers<void>()
  const timer = setInterval(() => client.socket.write('x', (error) => error && gone.resolve()), 50)
  await gone.promise
  clearInterval(timer)
  client.destroy()
})

test('a connection that the client keeps open after our close is destroyed', async () => {
  await using service = await serveRaw(echo, { limits: { ...limits, linger: 100 } })
  const client = await service.open('GET * HTTP/1.1\r\nHost: a\r\n\r\n')
  assert.equal((await client.one()).status, 400)
  const gone = Promise.withResolvers<void>()
  client.socket.on('error', () => gone.resolve())
  const timer = setInterval(() => client.socket.write('x'), 20)
  await gone.promise
  clearInterval(timer)
  client.destroy()
})

test('200 clients that send an octet at a time delay no other', async () => {
  await using service = await serveRaw(echo, { limits: { headersTimeout: 5_000 } })
  const slow = Array.from({ length: 200 }, () => new RawClient(service.port))
  await Promise.all(slow.map((client) => client.send('G', 'E')))
  for (let count = 0; count < 50; count++) {
    const client = await service.open(get)
    assert.equal((await client.one()).status, 200)
    client.destroy()
  }
  for (const client of slow) client.destroy()
})
