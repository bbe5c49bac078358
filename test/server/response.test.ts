/** Responses as they stand on the wire, those to refused messages and bugs included. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import type { Handler, HttpResponse } from '../../src/http/message.ts'
import { unavailable } from '../../src/refusal.ts'
import { createSocketServer } from '../../src/server/request-listener.ts'
import { eventually } from '../eventually.ts'
import { echo, type RawResponse, serveRaw } from './raw.ts'

async function answerWith(response: HttpResponse, method = 'GET'): Promise<RawResponse> {
  await using service = await serveRaw(async () => response)
  const client = await service.open(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n`)
  const answer = await client.one(method)
  assert.equal(client.pending, 0)
  client.destroy()
  return answer
}

describe('framing of responses (RFC 9110 §8.6, RFC 9112 §6)', () => {
  test('Content-Length counts octets, not characters', async () => {
    const answer = await answerWith({ status: 200, fields: {}, body: 'é€' })
    assert.equal(answer.fields['content-length'], '5')
    assert.equal(answer.body, 'é€')
  })
  test('octets are sent as they are', async () => {
    const answer = await answerWith({ status: 200, fields: {}, body: new Uint8Array([97, 98]) })
    assert.equal(answer.body, 'ab')
  })
  test('a 200 without body has Content-Length: 0', async () => {
    assert.equal((await answerWith({ status: 200, fields: {} })).fields['content-length'], '0')
  })
  test('HEAD has the Content-Length of the body that GET would have (RFC 9110 §9.3.2)', async () => {
    const given = await answerWith({ status: 200, fields: {}, body: 'four' }, 'HEAD')
    assert.equal(given.fields['content-length'], '4')
    const named = { status: 200, fields: { 'Content-Length': '7' } }
    assert.equal((await answerWith(named, 'HEAD')).fields['content-length'], '7')
    const unknown = await answerWith({ status: 200, fields: {} }, 'HEAD')
    assert.equal(unknown.fields['content-length'], undefined)
  })
  for (const status of [204, 304]) {
    test(`${status} has no Content-Length, Transfer-Encoding, Content-Type or body`, async () => {
      const fields = { 'Content-Type': 'text/plain', 'Content-Length': '4', ETag: '"a"' }
      const answer = await answerWith({ status, fields, body: 'four' })
      assert.equal(answer.fields['content-length'], undefined)
      assert.equal(answer.fields['transfer-encoding'], undefined)
      assert.equal(answer.fields['content-type'], undefined)
      assert.equal(answer.fields.etag, '"a"')
    })
  }
  test('205 has no content (RFC 9110 §15.3.6)', async () => {
    const answer = await answerWith({ status: 205, fields: {}, body: 'four' })
    assert.equal(answer.fields['content-length'], '0')
  })
  test('several lines of one field are sent as lines', async () => {
    const answer = await answerWith({ status: 200, fields: { Link: ['<a>', '<b>'] } })
    assert.equal(answer.fields.link, '<a>, <b>')
  })
  test('framing fields of the handler do not count, but Connection: close does', async () => {
    const fields = { 'Transfer-Encoding': 'chunked', 'Content-Length': '99', Connection: 'close' }
    const answer = await answerWith({ status: 200, fields, body: 'four' })
    assert.equal(answer.fields['transfer-encoding'], undefined)
    assert.equal(answer.fields['content-length'], '4')
    assert.equal(answer.fields.connection, 'close')
  })
})

describe('fields of every response (docs/reference/http/limits.md, Limits)', () => {
  const messages = {
    'a served request': 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'a request refused on the wire': 'GET * HTTP/1.1\r\nHost: a\r\n\r\n',
    'a malformed message': 'GET / HTTP/1.1\r\nB : c\r\n\r\n',
    'an unknown method': 'FOO / HTTP/1.1\r\nHost: a\r\n\r\n',
    'a header bomb': `GET / HTTP/1.1\r\nHost: a\r\nB: ${'b'.repeat(100_000)}\r\n\r\n`,
    CONNECT: 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n',
  }
  for (const [kind, message] of Object.entries(messages)) {
    test(`${kind}: Date, Request-Id, nosniff; no Server, and of JSON no policy of pages`, async () => {
      await using service = await serveRaw()
      const [{ fields } = assert.fail('no answer')] = await service.exhaust(message)
      assert.match(fields['request-id'] ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
      assert.equal(fields.date, new Date(fields.date ?? '').toUTCString())
      assert.equal(fields['x-content-type-options'], 'nosniff')
      assert.equal(fields['cross-origin-resource-policy'], 'same-origin')
      assert.equal(fields['referrer-policy'], undefined)
      assert.equal(fields['content-security-policy'], undefined)
      assert.equal(fields.server, undefined)
      assert.equal(fields['x-powered-by'], undefined)
      assert.equal(fields['keep-alive'], undefined)
    })
  }
  test('a response sets its own policy, and one without content has none (RFC 9111 §3.2)', async () => {
    const policy = "script-src 'self'"
    const page = await answerWith({ status: 200, fields: { 'Content-Security-Policy': policy } })
    assert.equal(page.fields['content-security-policy'], policy)
    for (const status of [204, 304]) {
      const { fields } = await answerWith({ status, fields: {} })
      assert.equal(fields['content-security-policy'], undefined)
      assert.equal(fields['cross-origin-resource-policy'], 'same-origin')
    }
  })
  test('the request and the response have the same id', async () => {
    await using service = await serveRaw(echo)
    const client = await service.open('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const id = (await client.one()).fields['request-id']
    assert.match(String(id), /^[0-9a-f-]{36}$/)
    assert.equal(service.requests[0]?.id, id)
    assert.equal(service.requests[0]?.client.address, '127.0.0.1')
    client.destroy()
  })
})

describe('bugs become 500 and are observed; their details are not sent', () => {
  const bugs: Record<string, () => Promise<HttpResponse>> = {
    'a rejection': async () => {
      throw new TypeError('secret')
    },
    'a throw before any promise': () => {
      throw new TypeError('secret')
    },
    'a field value with a line end': async () => ({ status: 200, fields: { A: 'b\r\nC: d' } }),
  }
  for (const [kind, handler] of Object.entries(bugs)) {
    test(`${kind} is 500 with a problem, and the connection stays open`, async () => {
      await using service = await serveRaw(handler)
      const client = await service.open('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2))
      for (const response of await client.take(2)) {
        assert.equal(response.status, 500)
        assert.doesNotMatch(response.body, /secret/)
      }
      assert.deepEqual(
        service.observations.map(({ kind }) => kind),
        ['bug', 'bug'],
      )
      client.destroy()
    })
  }
  test('a refusal that cannot be written still has its status', async () => {
    const refusalResponse = () => {
      throw new Error('broken')
    }
    await using service = await serveRaw(echo, { refusalResponse })
    const responses = await service.exhaust('GET * HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.deepEqual(
      responses.map(({ status }) => status),
      [400],
    )
    assert.equal(service.observations[0]?.kind, 'bug')
  })
})

describe('requests that never reach the service are observed', () => {
  const refused = [
    ['GET * HTTP/1.1\r\nHost: a\r\n\r\n', 'GET', 400, 'target-form'],
    ['FOO / HTTP/1.1\r\nHost: a\r\n\r\n', '-', 501, 'method'],
    ['GET / HTTP/1.1\r\n\r\n', 'GET', 400, 'host'],
    ['GET / HTTP/1.1\r\nB : c\r\n\r\n', '-', 400, 'parser'],
  ] as const
  for (const [message, method, status, decision] of refused) {
    test(`${status} by the decision '${decision}', without a route`, async () => {
      await using service = await serveRaw()
      await service.exhaust(message)
      const [observation = assert.fail('nothing noticed'), ...others] = service.observations
      assert.deepEqual(others, [])
      assert.ok(observation.kind === 'request')
      const { route } = observation
      assert.deepEqual(
        {
          method: observation.method,
          status: observation.status,
          decision: observation.decision,
          route,
        },
        { method, status, decision, route: '-' },
      )
    })
  }
  test('a request that the service handles is observed by the service', async () => {
    await using service = await serveRaw()
    const client = await service.open('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await client.one()
    assert.deepEqual(service.observations, [])
    client.destroy()
  })
})

test('the listener works in a plain Node server', async () => {
  const wire = createSocketServer({
    handle: echo,
    refusalResponse: (refusal) => ({ status: refusal.status, fields: {} }),
    observe: () => {},
  })
  const server = createServer(wire.listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/x`, { method: 'POST', body: 'abc' })
  assert.equal(response.status, 200)
  assert.deepEqual(await response.json(), {
    method: 'POST',
    target: '/x',
    host: `127.0.0.1:${port}`,
    content: 'abc',
  })
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('a stream that fails after its client has gone is no bug', async () => {
  const gone = Promise.withResolvers<void>()
  async function* parts() {
    yield 'first'
    await gone.promise
    throw unavailable('The stored data cannot be reached.')
  }
  const handler: Handler = async ({ target }) => ({
    status: 200,
    fields: {},
    body: target === '/stream' ? parts() : 'another',
  })
  await using service = await serveRaw(handler, { limits: { connections: 1 } })
  const client = await service.open('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n')
  await once(client.socket, 'data')
  client.socket.resetAndDestroy()
  // The server knows that the client has gone when there is a place for another one.
  await eventually(async () => {
    const other = await service.open('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const { status } = await other.one()
    other.destroy()
    return status === 200
  })
  gone.resolve()
  await service.stop()
  assert.deepEqual(
    service.observations.filter(({ kind }) => kind === 'bug'),
    [],
  )
})

test('a request is abandoned when its client has reset the connection', async () => {
  const released = Promise.withResolvers<void>()
  await using service = await serveRaw(async () => {
    await released.promise
    return { status: 204, fields: {} }
  })
  const client = await service.open('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  const request = await eventually(() => service.requests[0])
  assert.equal(request.isAbandoned?.(), false)
  client.socket.resetAndDestroy()
  await eventually(() => request.isAbandoned?.() === true)
  released.resolve()
})
