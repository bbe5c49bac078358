/**
 * HTTP over a bare socket, for what no client library would send, and a small service to send it
 * to. Responses are parsed by the letter, so that a second one, or stray octets, cannot hide.
 */

import { connect, type Socket } from 'node:net'
import type { Handler, HttpRequest } from '../../src/http/message.ts'
import type { Observation } from '../../src/observation.ts'
import { createSocketServer } from '../../src/server/request-listener.ts'
import { startServer } from '../../src/server/server.ts'
import type { ServerContextOptions } from '../../src/server/server-context.ts'
import type { SocketLimits } from '../../src/server/socket-limits.ts'

export interface RawResponse {
  readonly status: number
  readonly reason: string
  /** Lower-case names; several lines are joined by a comma. */
  readonly fields: Readonly<Record<string, string>>
  readonly body: string
}

export class RawClient {
  readonly socket: Socket
  /** How the server ended the connection. */
  readonly closed: Promise<'closed' | 'reset'>
  #received: Buffer = Buffer.alloc(0)
  #over = false
  #wake: () => void = () => {}

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    this.closed = new Promise((resolve) => {
      this.socket.on('end', () => this.#finish(() => resolve('closed')))
      this.socket.on('error', () => this.#finish(() => resolve('reset')))
    })
    this.socket.on('data', (part) => {
      this.#received = Buffer.concat([this.#received, part as Buffer])
      this.#wake()
    })
  }

  /** Resolves once the octets are handed over, each part in a packet of its own. */
  async send(...parts: (string | Uint8Array)[]): Promise<this> {
    this.socket.setNoDelay(true)
    for (const part of parts) {
      const octets = typeof part === 'string' ? Buffer.from(part, 'latin1') : part
      await new Promise<void>((resolve) => this.socket.write(octets, () => resolve()))
      if (parts.length > 1) await someTurns()
    }
    return this
  }

  /** The next responses, interim ones included; rejects where the connection ends before. */
  async take(count: number, method = 'GET'): Promise<RawResponse[]> {
    for (;;) {
      const { responses, rest } = parseResponses(this.#received, method, count)
      if (responses.length === count) {
        this.#received = rest
        return responses
      }
      if (this.#over) throw new Error(`Only ${responses.length} of ${count} responses came.`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async one(method = 'GET'): Promise<RawResponse> {
    const [response] = await this.take(1, method)
    return response!
  }

  /** All that came until the server closed. Throws where it is not a sequence of responses. */
  async rest(method = 'GET'): Promise<RawResponse[]> {
    await this.closed
    const { responses, rest } = parseResponses(this.#received, method, Number.POSITIVE_INFINITY)
    if (rest.length > 0) throw new Error(`Stray octets: ${JSON.stringify(rest.toString('latin1'))}`)
    this.destroy()
    return responses
  }

  /** Octets received and not taken yet. */
  get pending(): number {
    return this.#received.length
  }

  endSending(): void {
    this.socket.end()
  }

  destroy(): void {
    this.socket.destroy()
  }

  #finish(resolve: () => void): void {
    this.#over = true
    this.#wake()
    resolve()
  }
}

/** Turns of the loop in which the server, in this same process, accepts and reads what was sent. */
export async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function parseResponses(octets: Buffer, method: string, most: number) {
  const responses: RawResponse[] = []
  let rest = octets
  while (responses.length < most) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) break
    const head = parseHead(rest.toString('latin1', 0, end))
    const length = bodyless(head.status, method) ? 0 : Number(head.fields['content-length'])
    if (Number.isNaN(length)) throw new Error('A response without Content-Length.')
    if (rest.length < end + 4 + length) break
    responses.push({ ...head, body: rest.toString('utf8', end + 4, end + 4 + length) })
    rest = rest.subarray(end + 4 + length)
  }
  return { responses, rest }
}

function parseHead(text: string) {
  const [statusLine = '', ...lines] = text.split('\r\n')
  const parts = /^HTTP\/1\.1 ([1-5][0-9][0-9]) ([\t -~]*)$/.exec(statusLine)
  if (parts === null) throw new Error(`No status-line: ${JSON.stringify(statusLine)}`)
  const fields: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const field = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?(.*)$/.exec(line)
    if (field === null) throw new Error(`No field line: ${JSON.stringify(line)}`)
    const name = field[1]!.toLowerCase()
    fields[name] = name in fields ? `${fields[name]}, ${field[2]}` : field[2]!
  }
  return { status: Number(parts[1]), reason: parts[2]!, fields }
}

function bodyless(status: number, method: string): boolean {
  return status < 200 || status === 204 || status === 304 || method === 'HEAD'
}

export interface RawService {
  readonly port: number
  readonly url: string
  readonly observations: Observation[]
  /** Requests that the handler saw, in order. */
  readonly requests: HttpRequest[]
  readonly stopping: () => boolean
  stop(): Promise<void>
  /** Opens a connection and sends the parts. */
  open(...parts: (string | Uint8Array)[]): Promise<RawClient>
  /** Sends the parts, and gives all responses until the server closes. */
  exhaust(...parts: (string | Uint8Array)[]): Promise<RawResponse[]>
  [Symbol.asyncDispose](): Promise<void>
}

export interface RawOptions
  extends Partial<Pick<ServerContextOptions, 'refusalResponse' | 'refusesArrival' | 'isUrgent' | 'trusted'>> {
  readonly limits?: Partial<SocketLimits>
  readonly drain?: number
  readonly grace?: number
}

/** `await using service = await serveRaw(handler)`. */
export async function serveRaw(handler: Handler = echo, options: RawOptions = {}): Promise<RawService> {
  const observations: Observation[] = []
  const requests: HttpRequest[] = []
  const { limits, drain = 500, grace = 50, ...others } = options
  const wire = createSocketServer({
    handle: (request) => {
      requests.push(request)
      return handler(request)
    },
    refusalResponse: (refusal, requestId) => ({
      status: refusal.status,
      fields: { 'Content-Type': 'application/problem+json', ...refusal.options.fields },
      body: JSON.stringify({ type: refusal.type, status: refusal.status, instance: requestId }),
    }),
    observe: (observation) => observations.push(observation),
    limits: { linger: 300, checkInterval: 20, ...limits },
    ...others,
  })
  const server = await startServer({ host: '127.0.0.1', port: 0, socketServer: wire, drain, grace })
  const open = async (...parts: (string | Uint8Array)[]) => await new RawClient(server.port).send(...parts)
  return {
    port: server.port,
    url: server.url,
    observations,
    requests,
    stopping: () => wire.stopping,
    stop: server.stop,
    open,
    exhaust: async (...parts) => await (await open(...parts)).rest(),
    [Symbol.asyncDispose]: server.stop,
  }
}

/** Tells what it was asked; reads the content of all but GET and HEAD, up to 64 octets. */
export const echo: Handler = async (request) => {
  const reads = request.method !== 'GET' && request.method !== 'HEAD'
  const content = reads ? Buffer.from(await request.content.read(64)).toString('utf8') : ''
  const body = JSON.stringify({
    method: request.method,
    target: request.target,
    host: request.fields.host,
    content,
  })
  return { status: 200, fields: { 'Content-Type': 'application/json' }, body }
}

/** The members of a body that is JSON. */
export function membersOf(response: RawResponse): Record<string, unknown> {
  return JSON.parse(response.body) as Record<string, unknown>
}
