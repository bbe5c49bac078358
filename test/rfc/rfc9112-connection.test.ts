/** RFC 9112 §9: persistence, pipelining, and the end of connections. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Handler } from '../../src/http/message.ts'
import { echo, membersOf, type RawResponse, serveRaw } from '../server/raw.ts'

const get = (target: string, lines = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${lines}\r\n`

describe('persistence (RFC 9112 §9.3)', () => {
  test('an HTTP/1.1 connection persists without Connection or Keep-Alive fields', async () => {
    await using service = await serveRaw()
    const client = await service.open(get('/1'))
    const first = await client.one()
    assert.equal(first.fields.connection, undefined)
    assert.equal(first.fields['keep-alive'], undefined)
    await client.send(get('/2'))
    assert.equal(membersOf(await client.one()).target, '/2')
    client.destroy()
  })
  test('Connection: close is honoured and echoed (§9.6)', async () => {
    await using service = await serveRaw()
    const responses = await service.exhaust(get('/', 'Connection: close\r\n') + get('/2'))
    assert.equal(responses.length, 1)
    assert.equal(responses[0]!.fields.connection, 'close')
    assert.equal(service.requests.length, 1)
  })
  test('HTTP/1.0 closes after each response, unless keep-alive is requested (§9.3)', async () => {
    await using service = await serveRaw()
    const [once] = await service.exhaust('GET / HTTP/1.0\r\n\r\n')
    assert.equal(once?.fields.connection, 'close')
    const client = await service.open('GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n')
    assert.equal((await client.one()).fields.connection, 'keep-alive')
    await client.send('GET /2 HTTP/1.0\r\n\r\n')
    assert.equal((await client.one()).fields.connection, 'close')
    await client.closed
    client.destroy()
  })
  test('no response has Transfer-Encoding, to HTTP/1.0 or 1.1 (§6.1)', async () => {
    await using service = await serveRaw()
    for (const version of ['1.0', '1.1']) {
      const client = await service.open(`GET / HTTP/${version}\r\nHost: a\r\n\r\n`)
      const { fields } = await client.one()
      assert.equal(fields['transfer-encoding'], undefined)
      assert.match(fields['content-length'] ?? '', /^[0-9]+$/)
      client.destroy()
    }
  })
  test('Upgrade is ignored, the request served, and the connection persists (RFC 9110 §7.8)', async () => {
    await using service = await serveRaw()
    const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n'
    const client = await service.open(get('/1', h2c))
    for (const target of ['/1', '/2', '/3']) {
      const response = await client.one()
      assert.deepEqual([membersOf(response).target, response.fields.connection], [target, undefined])
      await client.send(get(`/${Number(target.slice(1)) + 1}`, h2c))
    }
    client.destroy()
  })
  test('what follows an ignored Upgrade in the same packet is not lost (RFC 9110 §7.8)', async () => {
    await using service = await serveRaw()
    const websocket = 'Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n'
    const targets = ['/1', '/2', '/3', '/4']
    const client = await service.open(
      get('/1', websocket) + get('/2') + get('/3', 'Upgrade: h2c\r\n') + get('/4'),
    )
    assert.deepEqual(targetsOf(await client.take(4)), targets)
    client.destroy()
  })
  test('Upgrade beside content, or behind a request in progress, closes the connection: nothing is lost in silence', async () => {
    await using service = await serveRaw()
    const lines = 'Connection: Upgrade\r\nUpgrade: h2c\r\n'
    const post = `POST /1 HTTP/1.1\r\nHost: a\r\n${lines}Content-Length: 1\r\n\r\nx`
    for (const [sent, served] of [
      [post + get('/2'), ['/1']],
      [get('/1') + get('/2', lines) + get('/3'), ['/1', '/2']],
    ] as const) {
      const responses = await service.exhaust(sent)
      assert.deepEqual(targetsOf(responses), served)
      assert.equal(responses.at(-1)?.fields.connection, 'close')
    }
  })
  test('a client that closes its half after the request gets the response (§9.6)', async () => {
    const gate = Promise.withResolvers<void>()
    await using service = await serveRaw(async (request) => {
      await gate.promise
      return echo(request)
    })
    const client = await service.open(get('/1') + get('/2'))
    client.endSending()
    gate.resolve()
    assert.deepEqual(targetsOf(await client.rest()), ['/1', '/2'])
  })
})

describe('pipelining (RFC 9112 §9.3.2)', () => {
  test('64 pipelined requests get responses in order', async () => {
    await using service = await serveRaw(slowerAtFirst())
    const targets = Array.from({ length: 64 }, (_, index) => `/${index}`)
    const client = await service.open(targets.map((target) => get(target)).join(''))
    assert.deepEqual(targetsOf(await client.take(64)), targets)
    client.destroy()
  })
  test('1000 pipelined requests get responses in order too: reading waits for responses', async () => {
    await using service = await serveRaw(slowerAtFirst())
    const targets = Array.from({ length: 1000 }, (_, index) => `/${index}`)
    const client = await service.open(targets.map((target) => get(target)).join(''))
    assert.deepEqual(targetsOf(await client.take(1000)), targets)
    client.destroy()
  })
  test('a request is processed only after the response to the one before it', async () => {
    let running = 0
    let most = 0
    await using service = await serveRaw(async (request) => {
      running++
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return echo(request)
    })
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nb'
    const client = await service.open(post.repeat(8))
    await client.take(8)
    assert.equal(most, 1)
    client.destroy()
  })
  test('a malformed message does not prevent the responses to earlier ones', async () => {
    const gate = Promise.withResolvers<void>()
    await using service = await serveRaw(async (request) => {
      await gate.promise
      return echo(request)
    })
    const client = await service.open(get('/1') + get('/2'), 'GET / HTTP/1.1\r\nB : c\r\n\r\n')
    gate.resolve()
    const responses = await client.rest()
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 400],
    )
  })
  test('after a response that closes, the rest of the pipeline is not processed (§9.6)', async () => {
    await using service = await serveRaw()
    const responses = await service.exhaust(get('/1') + get('*') + get('/3') + get('/4'))
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 400],
    )
    assert.equal(service.requests.length, 1)
  })
})

describe('a response before the content is read (RFC 9112 §9.3, §9.6)', () => {
  const early: Handler = async () => ({ status: 404, fields: {}, body: 'gone' })
  test('a small remainder is discarded, and the connection persists', async () => {
    await using service = await serveRaw(early)
    const client = await service.open('POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab')
    const response = await client.one()
    assert.equal(response.fields.connection, undefined)
    await client.send('cde', get('/2'))
    assert.equal((await client.one()).status, 404)
    assert.equal(service.requests.length, 2)
    client.destroy()
  })
  test('a remainder of 65536 octets is dropped, one of 65537 closes', async () => {
    await using service = await serveRaw(early)
    for (const [length, connection] of [
      [65_536, undefined],
      [65_537, 'close'],
    ] as const) {
      const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`
      const client = await service.open(head)
      assert.equal((await client.one()).fields.connection, connection)
      client.destroy()
    }
  })
  test('a large one closes, and a client that continues to send can read the response', async () => {
    await using service = await serveRaw(early, { limits: { linger: 5_000 } })
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n'
    const client = await service.open(head)
    const half = Buffer.alloc(1_000_000, 0x61)
    for (let sent = 0; sent < 10; sent++) await client.send(half)
    const responses = await client.rest()
    assert.equal(await client.closed, 'closed')
    assert.deepEqual(
      responses.map(({ status, fields }) => [status, fields.connection]),
      [[404, 'close']],
    )
  })
  test('chunks of unknown number close', async () => {
    await using service = await serveRaw(early)
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    const responses = await service.exhaust(`${head}1\r\nb\r\n`)
    assert.equal(responses[0]!.fields.connection, 'close')
    const complete = await service.open(`${head}1\r\nb\r\n0\r\n\r\n`)
    assert.equal((await complete.one()).fields.connection, undefined)
    complete.destroy()
  })
})

/** Earlier requests get later responses, so that a correct order is no accident. */
function slowerAtFirst(): Handler {
  let count = 0
  return async (request) => {
    const turns = Math.max(0, 8 - count++)
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    return echo(request)
  }
}

function targetsOf(responses: readonly RawResponse[]): unknown[] {
  return responses.map((response) => membersOf(response).target)
}
