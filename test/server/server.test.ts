/** A server starts with a clear error, and stops without losing requests (docs/reference/http/limits.md, Operation). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Handler } from '../../src/http/message.ts'
import { createSocketServer } from '../../src/server/request-listener.ts'
import { startServer } from '../../src/server/server.ts'
import { eventually } from '../eventually.ts'
import { echo, RawClient, serveRaw } from './raw.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

describe('starting', () => {
  const wire = () =>
    createSocketServer({
      handle: echo,
      refusalResponse: (refusal) => ({ status: refusal.status, fields: {} }),
      observe: () => {},
    })
  test('the error for a port in use says what to do', async () => {
    await using service = await serveRaw()
    const { port } = service
    await assert.rejects(startServer({ host: '127.0.0.1', port, socketServer: wire() }), {
      message: `Port ${port} on 127.0.0.1 is in use. Stop the other process, or choose another port with --port.`,
    })
  })
  test('the error for an address of another machine names it', async () => {
    await assert.rejects(startServer({ host: '192.0.2.1', port: 0, socketServer: wire() }), {
      message: '192.0.2.1 is not an address of this machine. Choose another with --host.',
    })
  })
  test('the URL is valid, also for IPv6', async () => {
    const server = await startServer({ host: '::1', port: 0, socketServer: wire() })
    assert.equal(server.url, `http://[::1]:${server.port}`)
    assert.equal((await fetch(server.url)).status, 200)
    await server.stop()
  })
})

describe('stopping (docs/reference/http/limits.md, Operation)', () => {
  /** Answers when told to. */
  function gated() {
    const gate = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const handler: Handler = async (request) => {
      arrived.resolve()
      await gate.promise
      return echo(request)
    }
    return { handler, open: gate.resolve, arrived: arrived.promise }
  }
  test('a request in progress gets its response with Connection: close', async () => {
    const { handler, open, arrived } = gated()
    const service = await serveRaw(handler, { drain: 5_000 })
    const client = await service.open(get)
    await arrived
    const stopped = service.stop()
    assert.equal(service.stopping(), true)
    open()
    const responses = await client.rest()
    assert.deepEqual(
      responses.map(({ status, fields }) => [status, fields.connection]),
      [[200, 'close']],
    )
    await stopped
  })
  test('requests on idle and new connections are served with Connection: close', async () => {
    const service = await serveRaw(echo, { drain: 5_000, grace: 2_000 })
    const idle = await service.open(get)
    assert.equal((await idle.one()).fields.connection, undefined)
    const stopped = service.stop()
    const fresh = await service.open(get)
    await idle.send(get)
    for (const client of [idle, fresh]) {
      const responses = await client.rest()
      assert.deepEqual(
        responses.map(({ status, fields }) => [status, fields.connection]),
        [[200, 'close']],
      )
    }
    await stopped
    await assert.rejects(fetch(service.url))
  })
  test('idle connections do not delay the stop and are closed', async () => {
    const service = await serveRaw(echo, { drain: 60_000 })
    const client = await service.open(get)
    await client.one()
    await service.stop()
    assert.deepEqual(await client.rest(), [])
  })
  test('a request beyond the drain limit is aborted', async () => {
    const { handler, open, arrived } = gated()
    const service = await serveRaw(handler, { drain: 100, grace: 10 })
    const client = await service.open(get)
    await arrived
    await service.stop()
    assert.deepEqual(await client.rest(), [])
    open()
  })
  test('a second stop returns the same promise', async () => {
    const service = await serveRaw()
    await Promise.all([service.stop(), service.stop()])
  })
  test('under load every request sent before the port closes gets its response', async () => {
    const service = await serveRaw(echo, { drain: 5_000, grace: 200 })
    let answered = 0
    const load = async () => {
      while (!service.stopping()) {
        const client = new RawClient(service.port)
        for (let reuse = 0; reuse < 20; reuse++) {
          await client.send(get)
          const { fields } = await client.one()
          answered++
          if (fields.connection === 'close') break
        }
        client.destroy()
      }
    }
    const clients = Array.from({ length: 16 }, load)
    await eventually(() => answered >= 500)
    await service.stop()
    await Promise.all(clients)
  })
})
