/** Plays the exchanges of a section against a service of its own, one after the other, and writes them as text. */

import crypto from 'node:crypto'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { connect } from 'node:net'
import { mock } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../eventually.ts'
import { mayWrite, type TestService } from '../service.ts'
import { createExchangeWriter, type ReceivedResponse, type RecordedExchange } from './exchange-text.ts'
import { createSymbols, type Symbols } from './symbols.ts'

/** `as` is the name of a caller; the others are fields of the request. */
export type Sent = Readonly<Record<string, string | readonly string[]>>

export interface Received {
  readonly status: number
  readonly fields: Readonly<Record<string, string>>
  readonly octets: Buffer
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  readonly json: any
}

export interface Player {
  readonly service: TestService
  readonly symbols: Symbols
  /** Sends a request and records the exchange. A body that is an object is sent as JSON. */
  send(line: string, sent?: Sent, body?: string | object): Promise<Received>
  /** Sends each of the requests. */
  sendAll(lines: readonly string[], sent?: Sent): Promise<void>
  /** Sends a request that is not recorded. */
  prepare(line: string, sent?: Sent, body?: string | object): Promise<Received>
  /** Repeats a request that is not recorded until its response satisfies the condition. */
  until(line: string, sent: Sent, holds: (received: Received) => boolean): Promise<Received>
  /** Sends octets on a connection of their own, and records the responses until so many came or the service closes. */
  sendRaw(octets: string, responses?: number): Promise<void>
  /** Reads a stream of events: takes each step when the event of the one before it has arrived. */
  follow(path: string, sent: Sent, steps: readonly (() => Promise<unknown>)[]): Promise<void>
  /** Records content that the service sent to another one. */
  record(line: string, content: string): void
  /** Names the Authorization or Cookie field of a caller, for `as`. */
  addCaller(name: string, fields: Readonly<Record<string, string>>): void
  advance(milliseconds: number): void
  readonly exchanges: readonly Recorded[]
}

export interface Recorded {
  readonly text: string
  readonly method: string
  readonly status: number
  readonly type: string
}

/** The time at which each section begins. */
const beginning = Date.parse('2026-11-02T09:00:00Z')

/** The time between two exchanges. */
const second = 1000

/**
 * Stops the clock of this process, which the player advances, and makes ids grow in the order of their
 * creation also within a millisecond. Disposing undoes both.
 */
export function controlTimeAndIds(): Disposable {
  mock.timers.enable({ apis: ['Date'], now: beginning })
  const original = crypto.randomUUIDv7
  let count = 0
  crypto.randomUUIDv7 = () => {
    count += 1
    const random = crypto.randomBytes(10).toString('hex')
    const time = (beginning + count).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}` as ReturnType<
      typeof original
    >
  }
  syncBuiltinESMExports()
  return {
    [Symbol.dispose]() {
      crypto.randomUUIDv7 = original
      syncBuiltinESMExports()
      mock.timers.reset()
    },
  }
}

export function createPlayer(service: TestService): Player & Disposable {
  const symbols = createSymbols()
  const writer = createExchangeWriter(symbols)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const callers = new Map<string, Readonly<Record<string, string>>>()
  const exchanges: Recorded[] = []
  const record = (exchange: RecordedExchange) => {
    const last = exchange.responses.at(-1)
    exchanges.push({
      text: writer.write(exchange),
      method: exchange.request.line.split(' ', 1)[0]!.slice(0, 20),
      status: Number(last?.status.slice(0, 3) ?? 0),
      type: (last?.fields.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '').split(';')[0]!,
    })
  }
  const advance = (milliseconds: number) => mock.timers.setTime(Date.now() + milliseconds)
  const exchange = async (line: string, sent: Sent, body?: string | object) => {
    const { as, ...given } = sent
    const content = body === undefined ? undefined : contentOf(body)
    const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
    const fields = { ...(isJson ? { 'content-type': 'application/json' } : {}), ...given }
    const caller = as === undefined ? {} : callers.get(String(as))
    if (caller === undefined) throw new Error(`No caller ${as}`)
    const headers = {
      host: 'localhost',
      ...(content ? { 'content-length': String(content.length) } : {}),
      ...caller,
      ...fields,
    }
    const responses = await inTime(line, exchangeOf({ port: service.port, agent, line, headers, content }))
    if (mayWrite(line)) await service.logSettled()
    const request = {
      line,
      as: as as string | undefined,
      fields: Object.entries(fields).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, one] as const),
      ),
      content: content?.toString(isText(content) ? 'utf8' : 'base64'),
    }
    return { request, responses }
  }
  return {
    service,
    symbols,
    exchanges,
    advance,
    async send(line, sent = {}, body) {
      advance(second)
      const played = await exchange(line, sent, body)
      record(played)
      return receivedOf(played.responses.at(-1)!)
    },
    async sendAll(lines, sent) {
      for (const line of lines) await this.send(line, sent)
    },
    async prepare(line, sent = {}, body) {
      const { responses } = await exchange(line, sent, body)
      return receivedOf(responses.at(-1)!)
    },
    async until(line, sent, holds) {
      return eventually(async () => {
        const received = await this.prepare(line, sent)
        return holds(received) && received
      })
    },
    async sendRaw(octets, count = 1) {
      advance(second)
      const { responses, end } = await inTime(octets, sendOctets(service.port, octets, count))
      const short = octets.length > 400 ? `${octets.slice(0, 200)}… ${octets.length} octets` : octets
      record({ request: { line: 'RAW', fields: [], content: short }, responses, end })
    },
    async follow(path, sent, steps) {
      advance(second)
      const { as, ...given } = sent
      const fields = { accept: 'text/event-stream', ...given }
      const headers = { host: 'localhost', ...(as === undefined ? {} : callers.get(String(as))), ...fields }
      const response = await inTime(path, followStream({ port: service.port, path, headers, steps }))
      const request = {
        line: `GET ${path}`,
        as: as as string | undefined,
        fields: Object.entries(fields) as [string, string][],
      }
      record({ request, responses: [response] })
    },
    record: (line, content) => record({ request: { line, fields: [], content }, responses: [] }),
    addCaller: (name, fields) => void callers.set(name, fields),
    [Symbol.dispose]: () => agent.destroy(),
  }
}

/** Fails where the exchange takes much longer than on a busy machine. */
async function inTime<Result>(line: string, exchange: Promise<Result>): Promise<Result> {
  const timer = new AbortController()
  const late = pause(60_000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`No end within a minute: ${line.slice(0, 100)}`)
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([exchange, late])
  } finally {
    timer.abort()
  }
}

function contentOf(body: string | object): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function isText(octets: Buffer): boolean {
  return Buffer.from(octets.toString()).equals(octets)
}

interface Outgoing {
  readonly port: number
  readonly agent: Agent | false
  readonly line: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly content: Buffer | undefined
}

function exchangeOf({ port, agent, line, headers, content }: Outgoing): Promise<ReceivedResponse[]> {
  const space = line.indexOf(' ')
  const target = { port, host: '127.0.0.1', method: line.slice(0, space), path: line.slice(space + 1), agent }
  return new Promise((resolve, reject) => {
    const interim: ReceivedResponse[] = []
    const outgoing = httpRequest({ ...target, headers: headers as Record<string, string> }, (incoming) => {
      const parts: Buffer[] = []
      // A stream of events has no end; its events are those of `follow`.
      if (incoming.headers['content-type'] === 'text/event-stream' && target.method !== 'HEAD') {
        resolve([...interim, responseOf(incoming, Buffer.alloc(0))])
        return void outgoing.destroy()
      }
      incoming.on('data', (part: Buffer) => parts.push(part))
      incoming.on('error', reject)
      incoming.on('end', () => resolve([...interim, responseOf(incoming, Buffer.concat(parts))]))
    })
    outgoing.on('information', ({ statusCode, statusMessage, rawHeaders }) => {
      interim.push({
        status: `${statusCode} ${statusMessage}`,
        fields: pairsOf(rawHeaders),
        octets: Buffer.alloc(0),
      })
    })
    outgoing.on('error', reject)
    outgoing.end(content)
  })
}

function responseOf(
  { statusCode, statusMessage, rawHeaders }: IncomingMessage,
  octets: Buffer,
): ReceivedResponse {
  return { status: `${statusCode} ${statusMessage}`, fields: pairsOf(rawHeaders), octets }
}

function pairsOf(raw: readonly string[]): (readonly [string, string])[] {
  return raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] as string] as const] : []))
}

function receivedOf({ status, fields, octets }: ReceivedResponse): Received {
  const buffer = Buffer.from(octets)
  const text = buffer.toString()
  return {
    status: Number(status.slice(0, 3)),
    fields: Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value])),
    octets: buffer,
    text,
    get json() {
      return JSON.parse(text)
    },
  }
}

interface Followed {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly steps: readonly (() => Promise<unknown>)[]
}

/** The response until each step had its event, or the stream ended. */
function followStream({ port, path, headers, steps }: Followed): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const target = { port, host: '127.0.0.1', path, agent: false as const }
    const outgoing = httpRequest({ ...target, headers: headers as Record<string, string> }, (incoming) => {
      let text = ''
      let wake = () => {}
      /** Resolves when so many events have arrived. The first lines of a stream have an id only. */
      const reached = async (count: number) => {
        while (!/^id: /m.test(text) || eventsIn(text) < count) {
          await new Promise<void>((next) => {
            wake = next
          })
        }
      }
      const finish = () => {
        resolve(responseOf(incoming, Buffer.from(text.replace(/^retry: \d+$/m, 'retry: ‹number›'))))
        outgoing.destroy()
      }
      const play = async () => {
        for (const [index, step] of steps.entries()) {
          await reached(index)
          await step()
        }
        await reached(steps.length)
        finish()
      }
      incoming.setEncoding('utf8')
      incoming.on('data', (part: string) => {
        text += part
        wake()
      })
      incoming.on('close', finish)
      incoming.on('error', () => undefined)
      if (incoming.headers['content-type'] === 'text/event-stream') play().catch(reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

function eventsIn(text: string): number {
  const frames = text.split('\n\n').slice(0, -1)
  return frames.filter((frame) => /^data: /m.test(frame)).length
}

/** Sends octets, and returns the responses, and whether the service closed the connection after them. */
function sendOctets(port: number, octets: string, count: number) {
  return new Promise<{ responses: ReceivedResponse[]; end: string }>((resolve) => {
    let received = Buffer.alloc(0)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const finish = (end: string) => {
      resolve({ responses: responsesIn(received, octets), end })
      socket.destroy()
    }
    socket.on('data', (part: Buffer) => {
      received = Buffer.concat([received, part])
      const responses = responsesIn(received, octets)
      // A response that ends the connection is awaited to its end.
      const last = responses
        .at(-1)
        ?.fields.some(([name, value]) => /^connection$/i.test(name) && value === 'close')
      if (responses.length >= count && !last) finish('the connection is open')
    })
    socket.on('end', () => finish('the service closed the connection'))
    socket.on('error', () => finish('the service closed the connection'))
    socket.write(Buffer.from(octets, 'latin1'))
  })
}

function responsesIn(received: Buffer, sent: string): ReceivedResponse[] {
  const responses: ReceivedResponse[] = []
  let rest = received
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return responses
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const fields = lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
    })
    const isHead = sent.startsWith('HEAD')
    const length = isHead ? 0 : Number(fields.find(([name]) => /^content-length$/i.test(name))?.[1] ?? 0)
    if (rest.length < end + 4 + length) return responses
    const status = first.replace(/^HTTP\/1\.1 /, '')
    responses.push({ status, fields, octets: rest.subarray(end + 4, end + 4 + length) })
    rest = rest.subarray(end + 4 + length)
  }
}
