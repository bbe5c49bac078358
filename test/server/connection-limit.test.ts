/** A connection too many gets 503 and is closed; those there are go on. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectionLimit } from '../../src/server/descriptor-limit.ts'
import { eventually } from '../eventually.ts'
import { echo, membersOf, serveRaw } from './raw.ts'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

test('128 descriptors, or half of fewer than 256, are kept for all but connections', () => {
  assert.deepEqual(
    [10_000, 1024, 256, 255, 101, 2, 1, Number.POSITIVE_INFINITY].map((most) => connectionLimit(most)),
    [9872, 896, 128, 127, 50, 1, 1, Number.POSITIVE_INFINITY],
  )
})

test('a connection beyond the limit gets 503 with Retry-After and a close (RFC 9110 §15.6.4)', async () => {
  await using service = await serveRaw(echo, { limits: { connections: 2 } })
  const first = await service.open(get)
  const second = await service.open(get)
  assert.deepEqual([(await first.one()).status, (await second.one()).status], [200, 200])
  const [refused, ...others] = await service.exhaust(get)
  assert.equal(others.length, 0)
  assert.equal(refused?.status, 503)
  assert.match(refused.fields['retry-after'] ?? '', /^[1-5]$/)
  assert.equal(refused.fields.connection, 'close')
  assert.equal(refused.fields['content-type'], 'application/problem+json')
  assert.equal(membersOf(refused).type, 'unavailable')
  assert.equal(service.requests.length, 2, 'it was not read')
  const noticed = service.observations.filter((one) => one.kind === 'request')
  assert.deepEqual(
    noticed.map(({ status, decision }) => [status, decision]),
    [[503, 'connections']],
  )
  assert.equal((await (await first.send(get)).one()).status, 200)
  for (const client of [first, second]) client.destroy()
})

test('a place that becomes free is given to the next connection', async () => {
  await using service = await serveRaw(echo, { limits: { connections: 1 } })
  const first = await service.open(get)
  assert.equal((await first.one()).status, 200)
  assert.equal((await service.exhaust(get))[0]?.status, 503)
  first.destroy()
  // The server learns of the end in a turn of its own.
  await eventually(async () => {
    const client = await service.open(get)
    const { status } = await client.one()
    client.destroy()
    return status === 200
  })
})
