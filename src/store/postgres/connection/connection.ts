/**
 * One connection to PostgreSQL, with rows as arrays, prepared statements and a response deadline. A
 * connection past its deadline is discarded without a cancel request: cancelling a COMMIT that waits
 * for a standby would let it succeed unreplicated.
 */

import pg from 'pg'
import type { Stored } from '../../../definition/model.ts'
import type { Row } from '../../row.ts'
import { sqlStateOf, unreachable } from '../postgres-failure.ts'
import { statementName } from './statement-name.ts'

export const connectTimeout = 2000
/** Milliseconds after the statement timeout of the server, for a server that does not respond. */
const responseGrace = 1000
/** How many statements a connection prepares before it is replaced. */
const maxPrepared = 1000

/** A statement whose values may also be octets and arrays. */
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
  #deadline = Number.POSITIVE_INFINITY
  #pending = 0
  /** Whether there is no response deadline. */
  unlimited = false
  /** Called once, when the connection breaks. */
  onBroken: () => void = () => undefined

  readonly #responseLimit: number

  constructor(url: string, statementLimit: number) {
    this.#responseLimit = statementLimit + responseGrace
    this.#client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      // Send queries without waiting for earlier results.
      pipeline: true,
      application_name: 'restwell',
      types: { getTypeParser: chooseParser },
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
      throw sqlStateOf(error) === undefined ? unreachable('The database cannot be reached.', error) : error
    }
  }

  /** The rows of a statement, which is prepared once. */
  rows({ sql, values }: PostgresQuery): Promise<readonly Row[]> {
    const name = statementName(sql)
    this.#prepared.add(name)
    return this.#query({ name, text: sql, values: values.map(encodeValue), rowMode: 'array' })
  }

  /** Sends the queries that the function starts in one packet. */
  sendTogether<Result>(start: () => Result): Result {
    const { stream } = this.#client.connection
    stream.cork()
    try {
      return start()
    } finally {
      stream.uncork()
    }
  }

  /** Runs SQL without values; returns the rows of its last statement. */
  run(sql: string): Promise<readonly Row[]> {
    return this.#query({ text: sql, rowMode: 'array' })
  }

  /** Resolves when the transaction is durable; throws StoreUnavailable where it may not be. */
  async commit(): Promise<void> {
    const command = await this.#command('commit')
    if (command !== 'COMMIT') throw unreachable('The transaction was lost.')
    this.requireReplicated()
  }

  /** Throws where a commit succeeded with a warning, because its wait for a standby was cancelled. */
  requireReplicated(): void {
    const warning = this.#warning
    this.#warning = undefined
    if (warning !== undefined) throw unreachable(`The write may not be replicated: ${warning}.`)
  }

  /** The id of the server process, as PostgreSQL or a pooler announced it. */
  get announcedProcess(): number | undefined {
    // A property of `pg` that its type lacks.
    const { processID } = this.#client as { readonly processID?: number | null }
    return processID ?? undefined
  }

  /** Whether the pool may reuse it: no open transaction, and not too many prepared statements. */
  get reusable(): boolean {
    if (this.#broken !== undefined || this.#prepared.size > maxPrepared) return false
    return this.#client.getTransactionStatus() === 'I'
  }

  get broken(): boolean {
    return this.#broken !== undefined
  }

  /** Discards the connection past its deadline; returns whether it did. */
  expire(now: number): boolean {
    if (now < this.#deadline) return false
    this.discard(new Error('The database did not respond in time'))
    return true
  }

  /** Destroys the socket without a message to the server. */
  discard(reason = new Error('The connection was discarded')): void {
    this.#break(reason)
    this.#client.connection.stream.destroy()
  }

  /** Closes the session, then the socket. */
  async close(): Promise<void> {
    if (this.#broken !== undefined) return
    this.#break(new Error('The connection was closed'))
    const late = setTimeout(() => this.#client.connection.stream.destroy(), connectTimeout)
    await this.#client.end().finally(() => clearTimeout(late))
  }

  async #query(config: pg.QueryArrayConfig): Promise<readonly Row[]> {
    const result = await this.#send(() => this.#client.query(config))
    return (Array.isArray(result) ? result.at(-1) : result).rows
  }

  async #command(text: string): Promise<string> {
    return (await this.#send(() => this.#client.query(text))).command
  }

  async #send<Result>(query: () => Promise<Result>): Promise<Result> {
    if (this.#broken !== undefined) throw lost(this.#broken)
    this.#pending += 1
    this.#updateDeadline()
    try {
      return await query()
    } catch (error) {
      throw sqlStateOf(error) === undefined ? lost(this.#broken ?? error) : error
    } finally {
      this.#pending -= 1
      this.#updateDeadline()
    }
  }

  /** Each result has its time from the one before it. */
  #updateDeadline(): void {
    const waits = this.#pending > 0 && !this.unlimited
    this.#deadline = waits ? performance.now() + this.#responseLimit : Number.POSITIVE_INFINITY
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
 * PostgreSQL cannot store U+0000, and stored texts have no control characters below TAB, so a
 * compared value with U+0001 instead also equals none of them.
 */
function encodeValue(value: Value | readonly Value[]): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\x01') : value
  return Array.isArray(value) ? value.map(encodeValue) : value
}

const BOOLEAN = 16
const OCTETS = 17
const numbers: ReadonlySet<number> = new Set([20, 21, 23, 700, 701])

/** By the number of the type: booleans become 1 or 0, numbers (all safe) numbers, others texts. */
function chooseParser(type: number): (text: string) => unknown {
  if (numbers.has(type)) return Number
  if (type === BOOLEAN) return (text) => (text === 't' ? 1 : 0)
  if (type === OCTETS) return (text) => Buffer.from(text.slice(2), 'hex')
  return (text) => text
}
