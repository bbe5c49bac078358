/**
 * Clients of a cluster in which programs are killed: some repeat writes with an Idempotency-Key
 * until they succeed, some write once, some read.
 */

import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { isFull } from '../cases.ts'
import { eventually } from '../eventually.ts'
import { createRequester, type Reply, type SendRequest } from '../service.ts'

export interface Failure {
  /** The request line, and whether the request had a key. */
  readonly line: string
  /** The status and the problem, or the error code of the connection. */
  readonly outcome: string
}

/** Refused before the request is processed. */
const overloaded = '503 The service is overloaded.'

/** The statuses after which a client with a key repeats the request. */
const passing: ReadonlySet<number> = new Set([409, 502, 503, 504])

export class Load {
  /** The id of each acknowledged title. */
  readonly acknowledged = new Map<string, string>()
  /** The failures that a client without retries would notice. */
  readonly failures: Failure[] = []
  requests = 0
  readonly #ports: readonly number[]
  readonly #pace: number
  readonly #working: Promise<void>[] = []
  #over = false
  #next = 0

  /** Clients go to these in turns; behind a balancer it is one. They rest `pace` milliseconds, in a soak none. */
  constructor(ports: readonly number[], pace = isFull ? 0 : 10) {
    this.#ports = ports
    this.#pace = pace
  }

  /** The failures without those that a node refused as overloaded. */
  get broken(): readonly Failure[] {
    return this.failures.filter(({ outcome }) => outcome !== overloaded)
  }

  /** Clients that send a key, and repeat the request until it is 201. */
  keyed(count: number): this {
    return this.#employ(count, (nextRequest) => this.#persist(nextRequest))
  }

  /** Starts another write with a key. */
  async write(): Promise<void> {
    const requesters = this.#ports.map((port) => createRequester(port))
    let turn = 0
    await this.#persist(() => requesters[turn++ % requesters.length] as SendRequest)
  }

  /** Clients without a key, that must not send again and do not. */
  plain(count: number): this {
    return this.#employ(count, async (nextRequest) => {
      const title = `plain ${this.#next++}`
      const reply = await this.#try(nextRequest(), 'POST /notes', {}, { title })
      if (reply?.status === 201) this.acknowledged.set(title, reply.json.id)
    })
  }

  readers(count: number): this {
    return this.#employ(count, async (nextRequest) => {
      await this.#try(nextRequest(), 'GET /notes?limit=5')
    })
  }

  /** Resolves when so many more writes are acknowledged. */
  async more(count: number): Promise<void> {
    const enough = this.acknowledged.size + count
    await eventually(() => this.acknowledged.size >= enough)
  }

  /** Resolves when each client has finished. */
  async stop(): Promise<void> {
    this.#over = true
    await Promise.all(this.#working)
  }

  async #persist(nextRequest: () => SendRequest): Promise<void> {
    const title = `keyed ${this.#next++}`
    const fields = { 'idempotency-key': `"${title}"` }
    const created = await eventually(async () => {
      const reply = await this.#try(nextRequest(), 'POST /notes', fields, { title })
      if (reply?.status === 201) return reply
      if (reply) assert.ok(passing.has(reply.status), reply.text)
      return undefined
    })
    this.acknowledged.set(title, created.json.id)
  }

  #employ(count: number, work: (nextRequest: () => SendRequest) => Promise<void>): this {
    for (let client = 0; client < count; client += 1) this.#working.push(this.#work(client, work))
    return this
  }

  async #work(client: number, work: (nextRequest: () => SendRequest) => Promise<void>): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const requesters = this.#ports.map((port) => createRequester(port, agent))
    let turn = client
    // There is one for each port, and at least one port.
    const nextRequest = () => requesters[turn++ % requesters.length] as SendRequest
    while (!this.#over) {
      await work(nextRequest)
      await pause(this.#pace)
    }
    agent.destroy()
  }

  /** The reply; undefined where the connection was lost. Any but a 2xx is noted. */
  async #try(ask: SendRequest, ...request: Parameters<SendRequest>): Promise<Reply | undefined> {
    const [requestLine, fields = {}] = request
    const line = 'idempotency-key' in fields ? `${requestLine} under a key` : requestLine
    this.requests += 1
    try {
      const reply = await ask(...request)
      if (reply.status >= 300) this.failures.push({ line, outcome: formatReply(reply) })
      return reply
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === undefined) throw error
      this.failures.push({ line, outcome: code })
      return undefined
    }
  }
}

function formatReply({ status, text }: Reply): string {
  const detail = /"detail":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 100)
  return `${status} ${detail}`
}

/** Checks that each acknowledged write is stored, and each write with a key is stored once. */
export async function assertStored(port: number, { acknowledged }: Load): Promise<number> {
  const stored = await allNotes(port)
  const ids = new Map(stored)
  assert.equal(ids.size, stored.length, 'no note is stored twice')
  for (const [title, id] of acknowledged) assert.equal(ids.get(title), id, `${title} was lost`)
  const unknown = [...ids.keys()].filter((title) => title.startsWith('keyed') && !acknowledged.has(title))
  assert.deepEqual(unknown, [])
  return stored.length
}

async function allNotes(port: number): Promise<[title: string, id: string][]> {
  const ask = createRequester(port)
  const notes: [string, string][] = []
  let next: string | undefined = '/notes?limit=1000'
  while (next !== undefined) {
    const reply: Reply = await ask(`GET ${next}`)
    assert.equal(reply.status, 200, reply.text)
    for (const { title, id } of reply.json) notes.push([title, id])
    next = /<([^>]*)>; rel="next"/.exec(String(reply.fields.link))?.[1]
  }
  return notes
}
