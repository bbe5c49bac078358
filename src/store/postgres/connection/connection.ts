/**
 * One connection to PostgreSQL: rows as arrays, a name for each statement that comes again, and a
 * time by which an answer must be there. A connection that did not answer is thrown away without a
 * word: cancelling a COMMIT that waits for a standby would let it succeed unreplicated.
 */

import pg from 'pg'
import type { Stored } from '../../../definition/model.ts'
import type { Row } from '../../row.ts'
import { sqlStateOf, unreachable } from '../postgres-failure.ts'
import { statementName } from './statement-name.ts'

export const connectTimeout = 2000
/** The server ends a statement by itself: this is for one that does not answer at all. */
const responseGrace = 1000
/** How many statements a connection prepares before another takes its place. */
const maxPrepared = 1000

/** A statement with values of any kind that is sent: octets and arrays too. */
export interface PostgresQuery {
  readonly sql: string
  readonly values: readonly (Value | readonly Value[])[]
}

type Value = Stored | Uint8Array

export class PostgresConnection {
  readonly #client: pg.Client
  readonly #prepared = new Set<string>()
  #broken: Error | undefined
  #warning: string | undefined
  #answerBy = Number.POSITIVE_INFINITY
  #unanswered = 0
  /** Whether an answer may take as long as it takes. */
  unlimited = false
  /** Called once, when the connection is of no more use. */
  onBroken: () => void = () => undefined

  readonly #answerLimit: number

  constructor(url: string, statementLimit: number) {
    this.#answerLimit = statementLimit + responseGrace
    this.#client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      // What is asked before the last answer came is sent at once, and not kept back here.
      pipeline: true,
      application_name: 'restwell',
      // The type of `pg` lists every parser by its number; ours answers for all of them.
      types: { getTypeParser: parserOf } as unknown as pg.CustomTypesConfig,
    })
    this.#client.on('error', (error) => this.#break(error))
    this.#client.on('end', () => this.#break(new Error('The connection ended')))
    this.#client.on('notice', ({ severity, message }) => {
      if (severity === 'WARNING') this.#warning = message
    })
  }

  async open(): Promise<void> {
    try {
      await this.#client.connect()
    } catch (error) {
      this.discard()
      throw sqlStateOf(error) === undefined
        ? unreachable('The database cannot be reached.', error)
        : error
    }
  }

  /** Rows of a statement whose text comes again and again. */
  rows({ sql, values }: PostgresQuery): Promise<readonly Row[]> {
    const name = statementName(sql)
    this.#prepared.add(name)
    return this.#ask({ name, text: sql, values: values.map(sent), rowMode: 'array' })
  }

  /** What is asked within goes to the server in one piece. */
  sendTogether<Result>(ask: () => Result): Result {
    const { stream } = this.#client.connection
    stream.cork()
    try {
      return ask()
    } finally {
      stream.uncork()
    }
  }

  /** Runs text without values, of which only the last result is given. */
  run(sql: string): Promise<readonly Row[]> {
    return this.#ask({ text: sql, rowMode: 'array' })
  }

  /** Resolves when all is durable; throws trouble where the server warns that it may not be. */
  async commit(): Promise<void> {
    const command = await this.#commanded('commit')
    if (command !== 'COMMIT') throw unreachable('The transaction was lost.')
    this.requireReplicated()
  }

  /** A commit whose wait for the standby was cut short succeeds with a warning: it is no promise. */
  requireReplicated(): void {
    const warning = this.#warning
    this.#warning = undefined
    if (warning !== undefined) throw unreachable(`The write may not be replicated: ${warning}.`)
  }

  /** The number of the server process that PostgreSQL, or a pooler, named when it was opened. */
  get announcedProcess(): number | undefined {
    // `pg` keeps it for cancelling; its type does not tell.
    const { processID } = this.#client as { readonly processID?: number | null }
    return processID ?? undefined
  }

  /** Whether another may use it next: nothing is left open, and it has not grown too large. */
  get reusable(): boolean {
    if (this.#broken !== undefined || this.#prepared.size > maxPrepared) return false
    return this.#client.getTransactionStatus() === 'I'
  }

  get broken(): boolean {
    return this.#broken !== undefined
  }

  /** Throws it away where the server has not answered in time. */
  expire(now: number): boolean {
    if (now < this.#answerBy) return false
    this.discard(new Error('The database did not answer in time'))
    return true
  }

  /** Lets go of the socket at once, without a word to the server. */
  discard(reason = new Error('The connection was discarded')): void {
    this.#break(reason)
    this.#client.connection.stream.destroy()
  }

  /** Says goodbye to the server first. */
  async close(): Promise<void> {
    if (this.#broken !== undefined) return
    this.#break(new Error('The connection was closed'))
    const late = setTimeout(() => this.#client.connection.stream.destroy(), connectTimeout)
    await this.#client.end().finally(() => clearTimeout(late))
  }

  async #ask(config: pg.QueryArrayConfig): Promise<readonly Row[]> {
    const result = await this.#answered(() => this.#client.query(config))
    return (Array.isArray(result) ? result.at(-1) : result).rows
  }

  async #commanded(text: string): Promise<string> {
    return (await this.#answered(() => this.#client.query(text))).command
  }

  async #answered<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (this.#broken !== undefined) throw lost(this.#broken)
    this.#unanswered += 1
    this.#await()
    try {
      return await ask()
    } catch (error) {
      throw sqlStateOf(error) === undefined ? lost(this.#broken ?? error) : error
    } finally {
      this.#unanswered -= 1
      this.#await()
    }
  }

  /** One answer after another: each has its time from the one before it. */
  #await(): void {
    const waits = this.#unanswered > 0 && !this.unlimited
    this.#answerBy = waits ? performance.now() + this.#answerLimit : Number.POSITIVE_INFINITY
  }

  #break(reason: Error): void {
    if (this.#broken !== undefined) return
    this.#broken = reason
    this.onBroken()
  }
}

function lost(cause: unknown) {
  return unreachable('The connection to the database was lost.', cause)
}

/**
 * PostgreSQL keeps no U+0000, and no text of ours has it or any other control below TAB: a value
 * to compare with is as far from every stored one with U+0001 in its place.
 */
function sent(value: Value | readonly Value[]): unknown {
  if (typeof value === 'string')
    return value.includes('\0') ? value.replaceAll('\0', '\x01') : value
  return Array.isArray(value) ? value.map(sent) : value
}

const BOOLEAN = 16
const OCTETS = 17
const numbers: ReadonlySet<number> = new Set([20, 21, 23, 700, 701])

/** By type's number: truth as 1 or 0, numbers as numbers (ours are all safe), the rest as text. */
function parserOf(type: number): (text: string) => unknown {
  if (numbers.has(type)) return Number
  if (type === BOOLEAN) return (text) => (text === 't' ? 1 : 0)
  if (type === OCTETS) return (text) => Buffer.from(text.slice(2), 'hex')
  return (text) => text
}
