/** The bundled client, for machines without wrk: raw sockets, each request after its answer. */

import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Measure } from './load.ts'
import type { BenchRequest } from './scenario.ts'

interface Order {
  readonly url: string
  readonly method: string
  readonly status: number
  readonly requests: readonly BenchRequest[]
  readonly connections: number
  readonly seconds: number
}

const order = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Order
const { hostname, port } = new URL(order.url)
const messages = order.requests.map(messageOf)
const latencies: number[] = []
let next = 0

const began = performance.now()
const end = began + order.seconds * 1000
await Promise.all(Array.from({ length: order.connections }, converse))
const seconds = (performance.now() - began) / 1000
latencies.sort((a, b) => a - b)
const measured: Omit<Measure, 'processor'> = {
  perSecond: latencies.length / seconds,
  p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
}
process.stdout.write(JSON.stringify(measured))

function messageOf({ path, content }: BenchRequest): Buffer {
  const fields = content === undefined ? '' : contentFields(content)
  const head = `${order.method} ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${fields}\r\n`
  return Buffer.from(head + (content ?? ''))
}

function contentFields(content: string): string {
  return `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(content)}\r\n`
}

/** One connection, until the time is over. */
function converse(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect(Number(port), hostname)
  let received: Buffer = Buffer.alloc(0)
  let sent = 0
  const send = () => {
    sent = performance.now()
    socket.write(messages[next++ % messages.length] as Buffer)
  }
  socket.setNoDelay()
  socket.on('connect', send)
  socket.on('error', reject)
  socket.on('data', (octets: Buffer) => {
    received = received.length === 0 ? octets : Buffer.concat([received, octets])
    if (received.length < lengthOf(received)) return
    received = Buffer.alloc(0)
    latencies.push(performance.now() - sent)
    if (performance.now() < end) return send()
    socket.destroy()
    resolve()
  })
  return promise
}

/** Octets of the response that begins here; more than any has while its head is incomplete. */
function lengthOf(octets: Buffer): number {
  const headEnd = octets.indexOf('\r\n\r\n')
  if (headEnd < 0) return Number.POSITIVE_INFINITY
  const head = octets.toString('latin1', 0, headEnd)
  if (!head.startsWith(`HTTP/1.1 ${order.status} `)) throw new Error(`Not right: ${head}`)
  return headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
}
