/**
 * Subscribers that disconnect at random, while processes are killed with -9, get every change once and
 * in order.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cases } from '../cases.ts'
import { startNode } from '../reliability/node.ts'
import { admin, replacedWorkers, startWorkers, workersOf } from '../reliability/worker-service.ts'
import { createRequester, type SendRequest } from '../service.ts'
import { type EventReader, follow } from './event-reader.ts'

const subscribers = cases(80)
const kills = cases(20)
const definition = 'examples/shop.ts'
const last = 'END'
/** The streams, and the changes that each must have. */
const selections = [
  { uri: '/products', has: () => true },
  { uri: '/products?stock%5Bgte%5D=3', has: (stock: number) => stock >= 3 },
  { uri: '/events', has: () => true },
] as const

test(`${subscribers} subscribers lose nothing by ${kills} kills of the service`, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'restwell-events-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  let node = await startNode({ definition, folder })
  const { port } = node
  await checkSequences(port, async (written) => {
    for (let kill = 0; kill < kills; kill += 1) {
      await reached(written, 20)
      const died = once(node.process, 'exit')
      node.process.kill('SIGKILL')
      await died
      node = await startNode({ definition, folder, port })
    }
  })
})

test(`${subscribers} subscribers lose nothing by ${kills} kills of workers`, async (t) => {
  const service = await startWorkers(t)
  await checkSequences(service.port, async (written) => {
    for (let kill = 0; kill < kills; kill += 1) {
      await reached(written, 20)
      const before = workersOf(service)
      const victim = before[kill % before.length] as number
      process.kill(victim, 'SIGKILL')
      await replacedWorkers(service, before, victim)
    }
  })
})

/** Writes and follows while the faults happen; then compares each subscriber's events with the log. */
async function checkSequences(
  port: number,
  causeFaults: (written: () => number) => Promise<void>,
): Promise<void> {
  const request = createRequester(port)
  const start = await presentPosition(request)
  const reading = Array.from({ length: subscribers }, (_, number) => {
    const { uri } = selections[number % selections.length] as (typeof selections)[number]
    return readUntilEnd(port, uri, { start, seed: number })
  })
  const state = { written: 0, isOver: false }
  const writing = write(request, state)
  await causeFaults(() => state.written)
  state.isOver = true
  await writing
  await patiently(() => request('POST /products', admin, { sku: last, name: last, price: '1.00', stock: 9 }))
  const log = await readLog(request)
  for (const [number, sequence] of (await Promise.all(reading)).entries()) {
    const { uri, has } = selections[number % selections.length] as (typeof selections)[number]
    const expected = log.filter(({ stock }) => has(stock)).map(({ name }) => name)
    assert.deepEqual(sequence, expected, `subscriber ${number} of ${uri}`)
  }
}

async function reached(written: () => number, count: number): Promise<void> {
  const enough = written() + count
  while (written() < enough) await pause(5)
}

/** Creates products and renames them, whatever happens to the service. */
async function write(
  request: SendRequest,
  state: { written: number; readonly isOver: boolean },
): Promise<void> {
  for (let count = 0; !state.isOver; count += 1) {
    const sku = `P-${count}`
    const stock = count % 5
    await patiently(() => request('POST /products', admin, { sku, name: sku, price: '1.00', stock }))
    await patiently(() => request(`PATCH /products/${sku}`, admin, { name: `${sku} renamed` }))
    state.written += 2
  }
}

/** Repeats a request until it has its effect; a repeated creation is a duplicate. */
async function patiently(send: () => ReturnType<SendRequest>): Promise<void> {
  for (;;) {
    const reply = await send().catch(() => undefined)
    if (reply && (reply.status < 300 || reply.status === 409)) return
    await pause(10)
  }
}

/** The names of all changes of products in the log, with the stock, which decides about filters. */
async function readLog(
  request: SendRequest,
): Promise<readonly { readonly name: string; readonly stock: number }[]> {
  const found: { name: string; stock: number }[] = []
  for (let next = '/events?limit=1000'; ; ) {
    const { json, fields } = await request(`GET ${next}`)
    if (json.length === 0) return found
    for (const { type, item } of json) if (type.startsWith('products.')) found.push(item)
    next = /<([^>]*)>; rel="next"/.exec(String(fields.link))?.[1] ?? ''
  }
}

/** The names in the events up to the last one, over as many connections as it takes. */
async function readUntilEnd(
  port: number,
  uri: string,
  { start, seed }: { readonly start: string; readonly seed: number },
): Promise<readonly string[]> {
  const names: string[] = []
  let id = start
  for (let turn = seed; names.at(-1) !== last; turn += 1) {
    const stream = await connect(port, uri, id)
    // Some read to the end of the connection, others leave after a few events.
    const most = turn % 3 === 0 ? Number.POSITIVE_INFINITY : 1 + (turn % 7)
    for (let count = 0; count < most && names.at(-1) !== last; count += 1) {
      const event = await stream.next()
      if (!event) break
      names.push(event.data.item.name)
      id = event.id
    }
    stream.close()
  }
  return names
}

/** Connects as soon as the service answers. */
async function connect(port: number, uri: string, id: string): Promise<EventReader> {
  for (;;) {
    try {
      const stream = await follow(port, uri, { 'last-event-id': id })
      if (stream.status === 200) return stream
      stream.close()
    } catch {
      // The service is being started again.
    }
    await pause(20)
  }
}

/** The position of the present end of the log. */
async function presentPosition(request: SendRequest): Promise<string> {
  const { fields } = await request('GET /products')
  return /last-event-id=([\w-]{48})/.exec(String(fields.link))?.[1] ?? ''
}
