/**
 * An open-loop client in a process of its own: it starts requests at a fixed rate. A request without
 * a free connection is not sent, and one without a response in time is aborted.
 */

import { connect, type Socket } from 'node:net'

export interface Load {
  readonly port: number
  /** The octets of a request. */
  readonly message: string
  /** Requests per second. */
  readonly rate: number
  readonly connections: number
  readonly seconds: number
  /** The longest response time in milliseconds. */
  readonly patience: number
}

export interface Outcome {
  /** 2xx responses in time. */
  good: number
  /** 503 responses and closed connections. */
  refused: number
  late: number
  /** Requests without a free connection. */
  unsent: number
}

const noOutcome: Outcome = { good: 0, refused: 0, late: 0, unsent: 0 }
/** Milliseconds. */
const warmUp = 1000

interface Client {
  readonly socket: Socket
  /** When its request was sent; undefined while it is free. */
  sent: number | undefined
  received: string
}

process.on('message', async (load: Load) => {
  process.send?.(await run(load))
})
process.on('disconnect', () => process.exit(0))

async function run(load: Load): Promise<Outcome> {
  const outcome: Outcome = { ...noOutcome }
  const free: Client[] = []
  const clients = Array.from({ length: load.connections }, () => open(load, free, outcome))
  await Promise.all(clients.map(({ socket }) => new Promise((done) => socket.once('connect', done))))
  const began = performance.now()
  let sent = 0
  // The service accepts the connections in the first second.
  setTimeout(() => Object.assign(outcome, noOutcome), warmUp)
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      const due = Math.floor(((now - began) / 1000) * load.rate)
      for (; sent < due; sent += 1) {
        const client = free.pop()
        if (client === undefined) outcome.unsent += 1
        else {
          client.sent = now
          client.socket.write(load.message, 'latin1')
        }
      }
      giveUp(load, clients, now, outcome)
      if (now - began < warmUp + load.seconds * 1000) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  const result = { ...outcome }
  for (const { socket } of clients) socket.removeAllListeners('close').destroy()
  return result
}

function open(load: Load, free: Client[], outcome: Outcome): Client {
  const client: Client = { socket: socketOf(load), sent: undefined, received: '' }
  const attach = () => {
    const { socket } = client
    socket.setNoDelay(true)
    socket.on('connect', () => free.push(client))
    socket.on('error', () => undefined)
    socket.on('data', (part) => receive(client, String(part), free, outcome))
    socket.once('close', () => {
      if (client.sent !== undefined) outcome.refused += 1
      const at = free.indexOf(client)
      if (at >= 0) free.splice(at, 1)
      Object.assign(client, { socket: socketOf(load), sent: undefined, received: '' })
      attach()
    })
  }
  attach()
  return client
}

function socketOf({ port }: Load): Socket {
  return connect({ port, host: '127.0.0.1' }).setEncoding('latin1')
}

function receive(client: Client, part: string, free: Client[], outcome: Outcome): void {
  client.received += part
  const end = client.received.indexOf('\r\n\r\n')
  if (end < 0) return
  const length = /\r\nContent-Length: (\d+)\r\n/.exec(client.received)?.[1] ?? '0'
  if (client.received.length < end + 4 + Number(length)) return
  if (client.sent !== undefined) {
    if (client.received.startsWith('HTTP/1.1 2')) outcome.good += 1
    else outcome.refused += 1
  }
  const closes = client.received.lastIndexOf('\r\nConnection: close', end) >= 0
  client.sent = undefined
  client.received = ''
  if (!closes) free.push(client)
}

function giveUp(load: Load, clients: readonly Client[], now: number, outcome: Outcome): void {
  for (const client of clients) {
    if (client.sent === undefined || now - client.sent < load.patience) continue
    client.sent = undefined
    outcome.late += 1
    client.socket.destroy()
  }
}
