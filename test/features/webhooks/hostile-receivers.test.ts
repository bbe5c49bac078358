/** Receivers of webhooks that send too much: GHSA-g9mf-h72j-4rw9, GHSA-9f24-jqhm-jfcw (undici). */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { sendWebhookRequest } from '../../../src/features/webhooks/send-request.ts'
import { noNetworks, parseNetworks } from '../../../src/http/ip-network.ts'

/** Sends a request to a socket that responds as it is told; returns the result when the socket is closed. */
async function sendTo(respond: (socket: Socket) => void, timeout = 60_000) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const closed = new Promise<number>((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => respond(socket))
      socket.on('close', () => resolve(socket.bytesWritten))
    })
  })
  const { port } = server.address() as AddressInfo
  const result = await sendWebhookRequest(
    { url: `http://127.0.0.1:${port}/`, fields: {}, body: '{}' },
    { networks: parseNetworks(['127.0.0.1']) ?? noNetworks, timeout },
    new AbortController().signal,
  )
  const written = await closed
  server.close()
  return { result, written }
}

const part = 'x'.repeat(65_536)

/** Writes for as long as the other side reads. */
function writeForEver(socket: Socket, text: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  }
  socket.on('drain', write)
  write()
}

test('an endless response is a success by its status, and its connection is closed', async () => {
  const { result } = await sendTo((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip, gzip, br\r\n\r\n')
    writeForEver(socket, `10000\r\n${part}\r\n`)
  })
  assert.deepEqual(result, { kind: 'response', status: 200, retryAfter: undefined })
})

test('endless header fields are a failure after a bounded number of octets', async () => {
  const { result, written } = await sendTo((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    writeForEver(socket, `X-Fill: ${part}\r\n`)
  })
  assert.deepEqual(result, { kind: 'error', reason: 'The connection failed (HPE_HEADER_OVERFLOW).' })
  // Buffers of the system take some more than was read.
  assert.ok(written < 50_000_000, `${written} octets`)
})

test('a header section that never ends, and interim responses without end, stop at the time limit', async () => {
  const { result } = await sendTo((socket) => void socket.write('HTTP/1.1 200 OK\r\nX-Wait: '), 200)
  assert.deepEqual(result, { kind: 'error', reason: 'No response within 0.2 seconds.' })
  const interim = await sendTo((socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'), 5)
    socket.on('close', () => clearInterval(timer))
  }, 200)
  assert.deepEqual(interim.result, { kind: 'error', reason: 'No response within 0.2 seconds.' })
})

test('a response that is no HTTP is a failure without its text', async () => {
  const { result } = await sendTo((socket) => socket.end('SSH-2.0-secret banner\r\n'))
  assert.equal(result.kind, 'error')
  assert.doesNotMatch(JSON.stringify(result), /secret/)
})
