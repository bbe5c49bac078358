/** A load client for machines without wrk: raw sockets, one request at a time on each. */

import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Seen } from './load.ts'

interface Order {
  readonly url: string
  readonly messages: readonly { readonly text: string; readonly status: number }[]
  readonly connections: number
  readonly seconds: number
}

const order = JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Order
const { hostname, port } = new URL(order.url)
const messages = order.messages.map(({ text, status }) => ({ octets: Buffer.from(text), status }))
type Message = (typeof messages)[number]
const latencies: number[] = []
let octetsRead = 0
let next = 0

const began = performance.now()
const end = began + order.seconds * 1000
await Promise.all(Array.from({ length: order.connections }, converse))
const seconds = (performance.now() - began) / 1000
latencies.sort((a, b) => a - b)
const seen: Seen = {
  requests: latencies.length,
  perSecond: latencies.length / seconds,
  p50: latencies[Math.floor(latencies.length * 0.5)] ?? Number.NaN,
  p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
  octets: octetsRead / latencies.length,
}
process.stdout.write(JSON.stringify(seen))

/** Runs one connection until the time is over. */
function converse(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect(Number(port), hostname)
  let received: Buffer = Buffer.alloc(0)
  let message: Message = messages[0] as Message
  let sent = 0
  const send = () => {
    message = messages[next++ % messages.length] as Message
    sent = performance.now()
    socket.write(message.octets)
  }
  socket.setNoDelay()
  socket.on('connect', send)
  socket.on('error', reject)
  socket.on('data', (octets: Buffer) => {
    received = received.length === 0 ? octets : Buffer.concat([received, octets])
    if (received.length < lengthOf(received, message.status)) return
    octetsRead += received.length
    received = Buffer.alloc(0)
    latencies.push(performance.now() - sent)
    if (performance.now() < end) return send()
    socket.destroy()
    resolve()
  })
  return promise
}

/** Returns the length of the response that begins here; Infinity while its head is incomplete. */
function lengthOf(octets: Buffer, status: number): number {
  const headEnd = octets.indexOf('\r\n\r\n')
  if (headEnd < 0) return Number.POSITIVE_INFINITY
  const head = octets.toString('latin1', 0, headEnd)
  if (!head.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`Not ${status}: ${head}`)
  // RFC 9110 §6.4.1: these have no content, regardless of their fields.
  if (status === 204 || status === 304) return headEnd + 4
  return headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
}
