/** Requests of one turn start together, in batches. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { waitForBatch } from '../../src/server/request-batching.ts'
import { serveRaw } from './raw.ts'

/** Waits for its batch, then takes three asynchronous steps. */
async function walk(name: number, steps: string[]): Promise<void> {
  await waitForBatch()
  for (const step of ['a', 'b', 'c']) {
    steps.push(`${step}${name}`)
    await undefined
  }
}

const several = (count: number, steps: string[]) =>
  Promise.all(Array.from({ length: count }, (_, name) => walk(name, steps)))

test('requests start at the end of the turn and run in step', async () => {
  const steps: string[] = []
  const walked = several(3, steps)
  await Promise.resolve()
  assert.deepEqual(steps, [])
  await walked
  assert.deepEqual(steps, ['a0', 'a1', 'a2', 'b0', 'b1', 'b2', 'c0', 'c1', 'c2'])
})

test('sixteen requests start together, the next sixteen when these wait', async () => {
  const steps: string[] = []
  await several(40, steps)
  const firstOf = (name: number) => steps.indexOf(`a${name}`)
  const lastOf = (name: number) => steps.indexOf(`c${name}`)
  assert.equal(steps.length, 120)
  assert.ok(firstOf(15) < lastOf(0))
  assert.ok(firstOf(16) > lastOf(15))
  assert.ok(firstOf(32) > lastOf(31))
})

test('100 requests start within one turn', async () => {
  const steps: string[] = []
  const walked = several(100, steps)
  await nextTurn()
  await nextTurn()
  assert.equal(steps.length, 300)
  await walked
})

test('a request that arrives at the end of a turn waits for the next', async () => {
  const order: string[] = []
  const walked = waitForBatch().then(async () => {
    order.push('first')
    await waitForBatch()
    order.push('second')
  })
  await nextTurn()
  order.push('between')
  await walked
  assert.deepEqual(order, ['first', 'between', 'second'])
})

test('requests of several connections start together', async () => {
  const steps: string[] = []
  await using service = await serveRaw(async ({ target }) => {
    steps.push(`begun ${target}`)
    await undefined
    steps.push(`done ${target}`)
    return { status: 204, fields: {} }
  })
  const paths = ['/a', '/b', '/c']
  const clients = await Promise.all(paths.map(() => service.open('')))
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  for (const [at, client] of clients.entries()) {
    client.socket.write(`GET ${paths[at]} HTTP/1.1\r\nHost: a\r\n\r\n`)
  }
  // All packets have arrived when the loop polls next.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  for (const client of clients) assert.equal((await client.one()).status, 204)
  const begun = steps.slice(0, 3).toSorted()
  assert.deepEqual(begun, ['begun /a', 'begun /b', 'begun /c'])
  for (const client of clients) client.destroy()
})
