/** Overload on the wire: refusals made ahead, urgent requests first, and reading that stops. */

import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Handler } from '../../src/http/message.ts'
import { resumeReading } from '../../src/server/process-requests.ts'
import {
  countWaiting,
  longestWait,
  recordAcceptedConnection,
  waitForBatch,
} from '../../src/server/request-batching.ts'
import { eventually } from '../eventually.ts'
import { membersOf, serveRaw } from './raw.ts'

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`
const noContent: Handler = async () => ({ status: 204, fields: {} })
const isUrgent = (target: string) => target === '/health/live'

describe('a service that refuses requests on arrival (RFC 9110 §15.6.4)', () => {
  const overloaded = { refusesArrival: () => true, isUrgent }

  test('sends 503 with Retry-After before handling, and keeps the connection', async () => {
    await using service = await serveRaw(noContent, overloaded)
    const client = await service.open(get('/1'))
    for (let round = 0; round < 3; round += 1) {
      const response = await client.one()
      assert.equal(response.status, 503)
      assert.match(response.fields['retry-after'] ?? '', /^[1-5]$/)
      assert.equal(response.fields.connection, undefined)
      assert.equal(membersOf(response).type, 'unavailable')
      await client.send(get('/1'))
    }
    assert.equal((await client.one()).status, 503)
    client.destroy()
    assert.deepEqual(service.requests, [])
    const decisions = service.observations.map((one) => one.kind === 'request' && one.decision)
    assert.deepEqual(decisions, ['arrival', 'arrival', 'arrival', 'arrival'])
  })

  test('handles urgent requests', async () => {
    await using service = await serveRaw(noContent, overloaded)
    const client = await service.open(get('/health/live'))
    assert.equal((await client.one()).status, 204)
    client.destroy()
  })

  test('drops short content and keeps the connection, and closes it before long content', async () => {
    await using service = await serveRaw(noContent, overloaded)
    const post = (length: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`
    const client = await service.open(`${post(5)}hello`)
    assert.equal((await client.one()).status, 503)
    await client.send(get('/'))
    assert.equal((await client.one()).status, 503)
    client.destroy()
    const [closed] = await service.exhaust(post(1_000_000))
    assert.deepEqual([closed?.status, closed?.fields.connection], [503, 'close'])
  })

  test('sends no body to HEAD, and CORS fields to other origins (RFC 9110 §9.3.2)', async () => {
    await using service = await serveRaw(noContent, overloaded)
    const head = await service.open('HEAD / HTTP/1.1\r\nHost: a\r\n\r\n')
    assert.equal((await head.one('HEAD')).status, 204, 'handled, for it needs no body')
    const crossed = await service.open(get('/', 'Origin: https://b.example\r\n'))
    assert.equal((await crossed.one()).status, 204, 'handled, for it needs fields of its own')
    head.destroy()
    crossed.destroy()
  })
})

test('the guard gets the waiting time of the oldest request', async () => {
  assert.equal(longestWait(), 0)
  const ended = waitForBatch()
  assert.ok(longestWait() >= 0)
  assert.equal(countWaiting(), 1)
  await ended
  assert.equal(countWaiting(), 0)
  assert.equal(longestWait(), 0)
})

/** Keeps the loop for so long. */
function hold(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

test('requests beyond the time of a turn start in later turns, in order of arrival', async () => {
  const order: string[] = []
  const crowd = Array.from({ length: 64 }, async (_, place) => {
    await waitForBatch()
    order.push(String(place))
    if (place % 16 === 0) hold(6)
  })
  await nextTurn()
  order.push('turn')
  await nextTurn()
  order.push('turn')
  await Promise.all(crowd)
  const places = order.filter((one) => one !== 'turn').map(Number)
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  assert.equal(order.indexOf('turn'), 16, 'one group of sixteen in the first turn')
})

test('a turn that accepts a connection starts no batch', async () => {
  recordAcceptedConnection()
  let begun = false
  const ended = waitForBatch().then(() => {
    begun = true
  })
  await nextTurn()
  await undefined
  assert.equal(begun, false)
  await ended
})

test('reading resumes after a response at once, or when fewer than 128 requests wait', async () => {
  const [first, second] = [new Socket(), new Socket()]
  resumeReading(first)
  assert.equal(first.isPaused(), false)
  const crowd = Array.from({ length: 128 }, () => waitForBatch())
  resumeReading(second)
  assert.equal(second.isPaused(), true)
  await Promise.all(crowd)
  await eventually(() => !second.isPaused())
  for (const socket of [first, second]) socket.destroy()
})

test('every request of 300 connections gets a response', async () => {
  await using service = await serveRaw(noContent)
  const clients = await Promise.all(Array.from({ length: 300 }, () => service.open('')))
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(clients.map((client) => client.send(get('/'))))
    const responses = await Promise.all(clients.map((client) => client.one()))
    assert.ok(responses.every(({ status }) => status === 204))
  }
  for (const client of clients) client.destroy()
})
