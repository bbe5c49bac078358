/**
 * Subscribers of the shop's products that disconnect at random and resume, whatever happens to the service,
 * and the comparison of what each of them got with the log.
 */

import assert from 'node:assert/strict'
import { eventually } from '../../eventually.ts'
import { admin } from '../../reliability/worker-service.ts'
import { createRequester, type SendRequest } from '../../service.ts'
import { type EventReader, follow } from './event-reader.ts'

/** The streams, and the changes that each must have. */
const selections = [
  { uri: '/products', has: () => true },
  { uri: '/products?stock%5Bgte%5D=3', has: (stock: number) => stock >= 3 },
  { uri: '/events', has: () => true },
] as const

const last = 'END'

/** A service that serves examples/shop.ts on these ports. */
export interface Followed {
  readonly ports: readonly number[]
  readonly subscribers: number
}

/** Writes and follows while the faults happen; then compares each subscriber's events with the log. */
export async function checkSequences(
  { ports, subscribers }: Followed,
  causeFaults: (written: () => number) => Promise<void>,
): Promise<void> {
  const request = requestInTurns(ports)
  const starts = await Promise.all(selections.map(({ uri }) => presentPosition(request, uri)))
  const reading = Array.from({ length: subscribers }, (_, number) => {
    const at = number % selections.length
    const { uri } = selections[at] as (typeof selections)[number]
    return readUntilEnd(ports, uri, { start: starts[at] as string, seed: number })
  })
  const state = { written: 0, isOver: false }
  const writing = write(request, state)
  await causeFaults(() => state.written)
  state.isOver = true
  await writing
  await patiently(() => request('POST /products', admin, { sku: last, name: last, price: '1.00', stock: 9 }))
  // Only now: on PostgreSQL a change has its position in the log some time after its response.
  const sequences = await Promise.all(reading)
  const log = await readLog(request)
  for (const [number, sequence] of sequences.entries()) {
    const { uri, has } = selections[number % selections.length] as (typeof selections)[number]
    const expected = log.filter(({ stock }) => has(stock)).map(({ name }) => name)
    assert.deepEqual(sequence, expected, `subscriber ${number} of ${uri}`)
  }
}

/** Resolves when so many more changes were written. */
export async function reached(written: () => number, count: number): Promise<void> {
  const enough = written() + count
  await eventually(() => written() >= enough)
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
  await eventually(async () => {
    const reply = await send().catch(() => undefined)
    return reply !== undefined && (reply.status < 300 || reply.status === 409)
  })
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
  ports: readonly number[],
  uri: string,
  { start, seed }: { readonly start: string; readonly seed: number },
): Promise<readonly string[]> {
  const names: string[] = []
  let id = start
  for (let turn = seed; names.at(-1) !== last; turn += 1) {
    const localAddress = addressOf(seed)
    const stream = await connect({ port: ports[turn % ports.length] as number, uri, id, localAddress })
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

interface Connection {
  readonly port: number
  readonly uri: string
  readonly id: string
  readonly localAddress: string
}

/** Each address may have 100 streams. */
function addressOf(subscriber: number): string {
  return `127.0.${1 + Math.floor(subscriber / 50)}.1`
}

/** Connects as soon as the service answers. */
function connect({ port, uri, id, localAddress }: Connection): Promise<EventReader> {
  return eventually(async () => {
    // Without a stream the service is being started again.
    const stream = await follow(port, uri, { 'last-event-id': id }, { localAddress }).catch(() => undefined)
    if (stream?.status === 200) return stream
    stream?.close()
    return undefined
  })
}

/** The position of the present end of the log, for a reader of the list or of the feed. */
async function presentPosition(request: SendRequest, uri: string): Promise<string> {
  const { fields } = await request(`GET ${uri}`)
  const [, position] = /last-event-id=([\w-]+)/.exec(String(fields.link)) ?? []
  assert.ok(position, `${uri} names no position`)
  return position
}

/** Sends each request to the next port, so that a node that is gone does not stop the writer. */
function requestInTurns(ports: readonly number[]): SendRequest {
  const requesters = ports.map((port) => createRequester(port))
  let turn = 0
  return (...request) => (requesters[turn++ % requesters.length] as SendRequest)(...request)
}
