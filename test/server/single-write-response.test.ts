/** Responses that are written at once: the octets that Node's own way has, and its rules kept. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import type { Handler, HttpResponse } from '../../src/http/message.ts'
import { createSocketServer } from '../../src/server/request-listener.ts'
import { createHttpServer } from '../../src/server/server.ts'
import { SingleWriteResponse } from '../../src/server/single-write-response.ts'
import { serveRaw } from './raw.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

describe('octets (RFC 9112 §2.1, §4, §5)', () => {
  const messages: Record<string, HttpResponse> = {
    'a text': { status: 200, fields: { ETag: '"a"', Vary: 'Accept' }, body: 'four' },
    'a text of many octets': { status: 404, fields: {}, body: 'é€😀' },
    'an empty text': { status: 200, fields: {}, body: '' },
    octets: { status: 200, fields: { A: 'b' }, body: new Uint8Array([0, 128, 255]) },
    'no body': { status: 201, fields: { Location: '/a' } },
    '204': { status: 204, fields: { 'Content-Type': 'text/plain' } },
    '304': { status: 304, fields: { ETag: '"a"' }, body: 'four' },
    '413': { status: 413, fields: {}, body: 'four' },
    'several lines': { status: 200, fields: { Link: ['<a>', '<b>'] }, body: 'four' },
    'a field of ours': { status: 200, fields: { 'Referrer-Policy': 'origin' }, body: 'four' },
    'a date of its own': { status: 200, fields: { Date: 'then' }, body: 'four' },
    'tab and obs-text': { status: 200, fields: { A: 'b\tc \xe9' }, body: new Uint8Array([97]) },
  }
  for (const [kind, message] of Object.entries(messages)) {
    test(`${kind}: the same whether our server or another writes it`, async () => {
      for (const method of ['GET', 'HEAD']) {
        const request = get.replace('GET', method)
        const ours = await octetsOf(request, async () => message, 'whole')
        assert.equal(ours, await octetsOf(request, async () => message, 'parts'))
        assert.match(ours, /^HTTP\/1\.1 [2-5]/)
      }
    })
  }
  test('obs-text in a field is one octet, whatever the body is (RFC 9110 §5.5)', async () => {
    for (const body of ['four', 'é€']) {
      const message = { status: 200, fields: { A: '\xe9' }, body }
      const octets = await octetsOf(get, async () => message, 'whole')
      assert.match(octets, /\r\nA: \xe9\r\n/)
      assert.ok(octets.endsWith(`\r\n\r\n${Buffer.from(body).toString('latin1')}`))
    }
  })
  test('HTTP/1.0 is told that the connection stays', async () => {
    const request = 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'
    const octets = await octetsOf(request, async () => ({ status: 200, fields: {} }), 'whole')
    assert.match(octets, /\r\nConnection: keep-alive\r\n/)
  })
})

describe('nothing gets into a field line that could end it (RFC 9110 §5.5)', () => {
  const controls = [...Array(32).keys(), 127].map((code) => String.fromCharCode(code))
  const outside = [...controls.filter((control) => control !== '\t'), 'Ā', '\u010a', '\u010d', '€']
  test('values', async () => {
    for (const character of outside) {
      for (const value of [character, `a${character}b`, `${'a'.repeat(600)}${character}`]) {
        assert.equal(await statusWith({ A: value }), 500, JSON.stringify(value))
        assert.equal(await statusWith({ A: ['a', value] }), 500, JSON.stringify(value))
      }
    }
    for (const value of ['', ' ', 'a\tb', '~', '\x80', '\xff']) {
      assert.equal(await statusWith({ A: value }), 200, JSON.stringify(value))
    }
  })
  test('names', async () => {
    for (const name of ['', 'a b', 'a:', 'a\r\nb', 'a\0', 'é', 'Ā', '(a)']) {
      assert.equal(await statusWith({ [name]: 'a' }), 500, JSON.stringify(name))
    }
    assert.equal(await statusWith({ "!#$%&'*+-.^_`|~aZ9": 'a' }), 200)
  })
  test('a status that is none of a final response', async () => {
    for (const status of [0, 99, 100, 199, 600, 1000, 200.5, Number.NaN]) {
      await using service = await serveRaw(async () => ({ status, fields: {} }))
      const client = await service.open(get)
      assert.equal((await client.one()).status, 500)
      client.destroy()
    }
  })
})

describe('a client that does not read yet', () => {
  const size = 6_000_000
  const large: Handler = async ({ target }) => ({
    status: 200,
    fields: {},
    body: target.slice(1).repeat(size),
  })
  const getA = get.replace('/', '/a')
  const getB = get.replace('/', '/b')
  test('gets all answers, in order, once it does', async () => {
    await using service = await serveRaw(large)
    const client = await service.open()
    client.socket.pause()
    await client.send(getA, getB, get)
    client.socket.resume()
    assert.deepEqual(
      (await client.take(3)).map(({ body }) => [body[0], body.length]),
      [
        ['a', size],
        ['b', size],
        [undefined, 0],
      ],
    )
    client.destroy()
  })
  test('is not cut off where the server stops', async () => {
    await using service = await serveRaw(large, { drain: 20_000 })
    const client = await service.open()
    client.socket.pause()
    await client.send(getA)
    const stopped = service.stop()
    // Longer than connections are kept that have nothing to say.
    setTimeout(() => client.socket.resume(), 300)
    assert.equal((await client.one()).body.length, size)
    client.destroy()
    await stopped
  })
  test('and goes leaves nothing behind', async () => {
    await using service = await serveRaw(large)
    const client = await service.open()
    client.socket.pause()
    await client.send(getA, getB)
    const gone = once(client.socket, 'close')
    client.socket.resetAndDestroy()
    await gone
    const next = await service.open(get)
    assert.equal((await next.one()).status, 200)
    next.destroy()
    assert.deepEqual(service.observations, [])
  })
})

describe('to others it looks as a response does (Node, http.ServerResponse)', () => {
  test('before, after, and what is told of it', async () => {
    const told: string[] = []
    const seen: boolean[][] = []
    const server = createServer({ ServerResponse: SingleWriteResponse }, (incoming, response) => {
      if (incoming.url === '/last') return response.writeHead(202).end()
      const look = () => {
        const { headersSent, writableEnded, writableFinished, isNext } = response
        seen.push([headersSent, writableEnded, writableFinished, isNext])
      }
      for (const event of ['finish', 'close', 'error']) response.on(event, () => told.push(event))
      look()
      response.sendComplete(204, 'HTTP/1.1 204 No Content\r\n\r\n', undefined)
      look()
      assert.equal(response.statusCode, 204)
      return response
    })
    assert.equal(await exchangeWith(server, get), 'HTTP/1.1 204 No Content\r\n\r\n')
    assert.deepEqual(seen, [
      [false, false, false, true],
      [true, true, true, false],
    ])
    assert.deepEqual(told, ['finish', 'close'])
  })
  test('one that is written in parts is as it was', async () => {
    const server = createServer({ ServerResponse: SingleWriteResponse }, (incoming, response) => {
      if (incoming.url === '/last') return response.writeHead(202).end()
      const sent = [response.headersSent]
      response.write('a')
      sent.push(response.headersSent, response.writableEnded)
      response.end('b')
      assert.deepEqual([...sent, response.writableEnded], [false, true, false, true])
      return response
    })
    assert.match(await exchangeWith(server, get), /\r\n\r\n2\r\nab\r\n0\r\n\r\n$/)
  })
})

async function statusWith(fields: HttpResponse['fields']): Promise<number> {
  const octets = await octetsOf(get, async () => ({ status: 200, fields }), 'whole')
  return Number(octets.slice(9, 12))
}

/** As latin1, what is of the moment left out: written by our server, or by one of Node's. */
async function octetsOf(request: string, handle: Handler, way: 'whole' | 'parts'): Promise<string> {
  const wire = createSocketServer({
    handle: async (message) => (message.target === '/' ? handle(message) : { status: 202, fields: {} }),
    refusalResponse: (refusal) => ({ status: refusal.status, fields: {} }),
    observe: () => {},
  })
  const server = way === 'whole' ? createHttpServer(wire) : createServer(wire.listener)
  const octets = await exchangeWith(server, request)
  return octets.replace(/^(Date|Request-Id): .*/gm, '$1:')
}

/** All that comes before the answer to a last request, with which the connection ends. */
async function exchangeWith(server: Server, requests: string): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.setEncoding('latin1')
  socket.write(`${requests}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  const octets = await text(socket)
  server.close()
  await once(server, 'close')
  return octets.slice(0, octets.lastIndexOf('HTTP/1.1 202'))
}
