/** Clients that read their responses slowly or not at all: memory is bounded, others are served. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { median } from '../../bench/rounds.ts'
import { someOf } from '../cases.ts'
import { folderOf, type RunningCommand, root, running } from '../commands/command.ts'
import { eventually } from '../eventually.ts'
import { admin, createRequester, type SendRequest } from '../service.ts'

const mebibyte = 1024 * 1024
/** For pages while they are made, on two threads for slow lists, and for the heap until its next collection. */
const beside = 384 * mebibyte

const readers = 70
/** Requests of each connection: the system buffers about one page for it. */
const pages = 4
/** Twice the octets of a page. */
const large = { rows: 80, octets: 100_000 }
/** More than the system buffers for a stream, in rows that cost the most for each octet. */
const small = { rows: 60_000, octets: 10 }

/** The octets of responses that may wait to be read by one address, and by all. */
const crowds = [
  { addresses: 1, buffered: 64 * mebibyte },
  { addresses: readers, buffered: 256 * mebibyte },
]

for (const { addresses, buffered } of someOf(crowds, 1)) {
  const from = addresses === 1 ? 'one address leaves' : `${addresses} addresses leave`
  const budget = buffered + beside
  test(`pages that ${from} unread on ${readers} connections take at most ${budget / mebibyte} MiB, and others are served (RFC 9110 §15.6.4)`, async (t) => {
    const { command, request } = await startArticles(t, large)
    assert.equal((await request('GET /articles?limit=1000')).status, 200)
    const before = peakMemoryOf(command)
    const sockets: Socket[] = []
    for (let at = 0; at < readers; at += 1) {
      // Each page is another one, so that they share no memory.
      const first = 1000 - at * pages
      const paths = Array.from({ length: pages }, (_, page) => `/articles?limit=${first - page}`)
      const socket = openRequest(t, command.port, { address: at % addresses, paths })
      await once(socket, 'readable')
      sockets.push(socket)
    }
    await untilIdle(request)
    const taken = peakMemoryOf(command) - before
    t.diagnostic(`peak memory grew by ${Math.round(taken / mebibyte)} MiB`)
    assert.ok(taken < budget, `${taken} octets`)
    assert.ok((await refusalsOf(request)) > 0, 'the limit was reached')
    assert.equal((await request('POST /articles', {}, { title: 'a', body: 'b' })).status, 201)
    assert.equal((await request('GET /articles?limit=1&fields=title')).status, 200)
    for (const socket of sockets) socket.destroy()
    await eventually(async () => (await request('GET /articles?limit=1000')).status === 200)
    await stopCleanly(command)
  })
}

test('60 slow readers of an NDJSON stream do not block the event loop: /health/live responds between batches', async (t) => {
  const { command, request } = await startArticles(t, small)
  const idle = await timesOf(request, () => undefined)
  const streams = Array.from({ length: 60 }, (_, at) =>
    // One address may have ten streams at a time.
    openRequest(t, command.port, { address: at % 6, paths: ['/articles'], accept: ndjson }),
  )
  const during = await timesOf(request, () => {
    for (const socket of streams) socket.read()
  })
  const slowest = Math.max(...during)
  t.diagnostic(`live took ${median(idle)} ms when idle, and at most ${slowest} ms with streams`)
  // Streams that do not yield take about 5,000 times as long, streams in turns about 100 times.
  assert.ok(slowest < 1000 * median(idle))
  // A busy machine may refuse most of those that arrive at once; the others are enough for the limit above.
  assert.ok((await listsServed(request)) > 12)
  for (const socket of streams) socket.destroy()
  await stopCleanly(command)
})

const ndjson = 'application/x-ndjson'

interface Articles {
  readonly rows: number
  /** Of the body of each. */
  readonly octets: number
}

async function startArticles(t: TestContext, { rows, octets }: Articles) {
  const database = `file:${join(await folderOf(t), 'service.db')}`
  const definition = join(root, 'test/faults/fixtures/articles.ts')
  const address = ['--host', '127.0.0.1', '--port', '0']
  const command = await running(['serve', definition, '--database', database, ...address], {
    environment: {
      RESTWELL_ADMIN: 'admin@example.org:correct horse battery',
      RESTWELL_RATE: 'off',
      RESTWELL_SAMPLE: 'off',
    },
  })
  t.after(() => command.process.kill('SIGKILL'))
  const request = createRequester(command.port)
  const batch = Math.min(1000, 500_000 / octets)
  const articles = Array.from({ length: batch }, () => ({ title: 't', body: 'x'.repeat(octets) }))
  for (let row = 0; row < rows; row += batch) {
    assert.equal((await request('POST /articles', { prefer: 'return=minimal' }, articles)).status, 201)
  }
  return { command, request }
}

/** The most memory that the process has had, in octets, from Linux' /proc. */
function peakMemoryOf({ process: { pid } }: RunningCommand): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024
}

interface Requests {
  /** The number of an address in the loopback network. */
  readonly address: number
  readonly paths: readonly string[]
  readonly accept?: string
}

/** A connection with requests whose responses are not read. */
function openRequest(t: TestContext, port: number, { address, paths, accept = '*/*' }: Requests): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${address + 2}` })
  socket.pause()
  socket.on('error', () => undefined)
  const fields = `HTTP/1.1\r\nHost: a\r\nAccept: ${accept}\r\n\r\n`
  socket.write(paths.map((path) => `GET ${path} ${fields}`).join(''))
  t.after(() => socket.destroy())
  return socket
}

/** Resolves once no other request is being handled. */
async function untilIdle(request: SendRequest): Promise<void> {
  await eventually(async () => {
    const { text } = await request('GET /metrics', admin)
    return /^http_requests_in_flight 1$/m.test(text)
  })
}

/** How many responses were refused because too many were not read. */
function refusalsOf(request: SendRequest): Promise<number> {
  return countOf(request, 'route="-",status="5xx"')
}

function listsServed(request: SendRequest): Promise<number> {
  return countOf(request, 'route="/articles",status="2xx"')
}

async function countOf(request: SendRequest, labels: string): Promise<number> {
  const { text } = await request('GET /metrics', admin)
  const start = `http_requests_total{method="GET",${labels}} `
  const line = text.split('\n').find((one) => one.startsWith(start))
  return Number(line?.slice(start.length) ?? 0)
}

/** Milliseconds of each of 50 requests, each made after the work. */
async function timesOf(request: SendRequest, work: () => void): Promise<number[]> {
  const times: number[] = []
  while (times.length < 50) {
    work()
    const began = performance.now()
    assert.equal((await request('GET /health/live')).status, 200)
    times.push(performance.now() - began)
  }
  return times
}

async function stopCleanly(command: RunningCommand): Promise<void> {
  assert.equal(await command.stop(), 0)
  assert.doesNotMatch(await command.stderr, /"event":"(?:crash|bug)"/)
}
