/** Responses that clients do not read: their memory is bounded, and slow readers are cut. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Handler } from '../../src/http/message.ts'
import { eventually } from '../eventually.ts'
import { type RawService, serveRaw } from './raw.ts'

/** More than the system buffers for a connection. */
const large = 'x'.repeat(16_000_000)
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const handler: Handler = async ({ target }) => ({
  status: 200,
  fields: { 'Content-Type': 'text/plain' },
  body: target === '/small' ? '{}' : large,
})

/** A client that has asked, and reads nothing. */
async function unread(service: RawService, ...paths: string[]): Promise<Socket> {
  const socket = connect({ port: service.port, host: '127.0.0.1' })
  socket.pause()
  socket.on('error', () => undefined)
  await new Promise<void>((resolve) => socket.write(paths.map(get).join(''), () => resolve()))
  return socket
}

/** The statuses of so many responses, each read to the head of the next, the last to its end. */
async function readStatuses(socket: Socket, count: number): Promise<number[]> {
  const statuses: number[] = []
  let text = ''
  for await (const part of socket.setEncoding('latin1') as AsyncIterable<string>) {
    text = (text + part).replace(/^x+(?=x{20})/, '')
    for (;;) {
      const head = /^x*HTTP\/1\.1 (\d+) .*?\r\n\r\n/s.exec(text)
      if (!head) break
      statuses.push(Number(head[1]))
      text = text.slice(head[0].length).replace(/^\{.*?\}/s, '')
    }
    if (statuses.length === count) break
  }
  return statuses
}

async function untilRequests(service: RawService, count: number): Promise<void> {
  await eventually(() => service.requests.length >= count)
  // The answer follows in the same turn as the request, or the next.
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
}

describe('octets buffered for clients (RFC 9110 §15.6.4)', () => {
  const limits = { bufferedPerClient: 40_000_000 }

  test('past the limit of a client a large response is 503, a small one is sent', async () => {
    await using service = await serveRaw(handler, { limits })
    const sockets = [await unread(service, '/1'), await unread(service, '/2')]
    await untilRequests(service, 2)
    const third = await service.open(get('/3'))
    const refused = await third.one()
    assert.equal(refused.status, 503)
    assert.match(refused.fields['retry-after'] ?? '', /^[1-5]$/)
    assert.equal((await (await third.send(get('/small'))).one()).body, '{}')
    const decisions = service.observations.map((one) => one.kind === 'request' && one.decision)
    assert.deepEqual(decisions, ['send-buffers'])
    for (const client of [...sockets, third]) client.destroy()
  })

  test('what is read, or whose connection closes, makes room again', async () => {
    await using service = await serveRaw(handler, { limits })
    const [first, second] = [await unread(service, '/1'), await unread(service, '/2')]
    await untilRequests(service, 2)
    let received = 0
    for await (const part of first as AsyncIterable<Buffer>) {
      received += part.length
      if (received > large.length) break
    }
    second.destroy()
    for (let round = 0; round < 3; round += 1) {
      const socket = await unread(service, `/${round}`)
      assert.deepEqual(await readStatuses(socket, 1), [200])
    }
  })

  test('responses in a pipeline count too, those that wait for their turn included', async () => {
    await using service = await serveRaw(handler, { limits })
    const socket = await unread(service, '/1', '/2', '/3', '/4')
    await untilRequests(service, 4)
    assert.deepEqual(await readStatuses(socket, 4), [200, 200, 503, 503])
  })

  test('the outcome of a write is told whatever is buffered (RFC 9110 §9.2.1)', async () => {
    await using service = await serveRaw(handler, { limits: { bufferedPerClient: 1 } })
    assert.equal((await (await service.open(get('/1'))).one()).status, 503)
    const socket = connect({ port: service.port, host: '127.0.0.1' })
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n')
    assert.deepEqual(await readStatuses(socket, 1), [200])
  })

  test('the process has a limit for all clients together', async () => {
    await using service = await serveRaw(handler, { limits: { bufferedPerProcess: 20_000_000 } })
    const first = await unread(service, '/1')
    await untilRequests(service, 1)
    const second = await service.open(get('/2'))
    assert.equal((await second.one()).status, 503)
    first.destroy()
    second.destroy()
  })
})

describe('the minimum read rate', () => {
  const strict = { checkInterval: 20, readGrace: 100, readRate: 1_000_000_000 }

  test('a client that reads a little now and then is cut', async () => {
    await using service = await serveRaw(handler, { limits: strict })
    const socket = await unread(service, '/')
    let received = 0
    socket.on('data', (part) => {
      received += part.length
      // One part, and then nothing for a while.
      socket.pause()
      setTimeout(() => socket.resume(), 20)
    })
    socket.resume()
    await once(socket, 'close')
    assert.ok(received < large.length)
  })

  test('a client that reads nothing of a stream is cut', async () => {
    let ended = false
    const part = 'x'.repeat(100_000)
    const endless: Handler = async () => ({ status: 200, fields: {}, body: parts() })
    async function* parts() {
      try {
        for (;;) yield part
      } finally {
        ended = true
      }
    }
    await using service = await serveRaw(endless, { limits: strict })
    const socket = await unread(service, '/')
    await eventually(() => ended)
    socket.destroy()
  })

  test('a client that reads is not, however large the response', async () => {
    const limits = { ...strict, readRate: 1000 }
    await using service = await serveRaw(handler, { limits })
    const socket = await unread(service, '/', '/small')
    assert.deepEqual(await readStatuses(socket, 2), [200, 200])
  })
})
