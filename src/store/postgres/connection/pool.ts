/**
 * The connection pool of one node, with a limit for connections and for waiting callers. While the
 * database is unreachable, callers are refused at once, and the pool retries to connect.
 */

import type { Observer } from '../../../observation.ts'
import { toStoreUnavailable, unreachable } from '../postgres-failure.ts'
import { connectTimeout, type PostgresConnection } from './connection.ts'

export interface PoolOptions {
  readonly size: number
  /** An open connection, ready for use, or an error. */
  connect(): Promise<PostgresConnection>
  readonly observe: Observer
}

/** How many callers may wait; more are refused. */
const maxWaiting = 1000
/** Milliseconds between retries to connect, and between checks of the connections. */
const retryInterval = 250
/** How many retries may be pending at a time. */
const maxPendingRetries = connectTimeout / retryInterval

interface Waiting extends PromiseWithResolvers<PostgresConnection> {
  readonly until: number
}

export class Pool {
  readonly #options: PoolOptions
  readonly #all = new Set<PostgresConnection>()
  /** The connection used last is used first. */
  readonly #idle: PostgresConnection[] = []
  readonly #waiting: Waiting[] = []
  readonly #timer: NodeJS.Timeout
  #opening = 0
  #unreachableCause: unknown
  #closed: PromiseWithResolvers<void> | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#checkConnections(), retryInterval).unref()
  }

  /** Runs the work with a connection of the pool. Throws StoreUnavailable where none is available. */
  async use<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take()
    try {
      return await work(connection)
    } catch (error) {
      // Do not use a server again that is shutting down or has become a standby.
      if (isServerUnavailable(error)) connection.discard()
      throw error
    } finally {
      this.#giveBack(connection)
    }
  }

  /** The limit for connections. */
  get maxSize(): number {
    return this.#options.size
  }

  /**
   * Runs the work with a connection outside the pool, so that work which needs further connections
   * of a small pool does not wait for itself.
   */
  async useExtra<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#options.connect()
    try {
      return await work(connection)
    } finally {
      await connection.close()
    }
  }

  /** The number of open connections. */
  get size(): number {
    return this.#all.size
  }

  /** Waits for the connections in use, then closes all. */
  async close(): Promise<void> {
    if (this.#closed !== undefined) return this.#closed.promise
    this.#closed = Promise.withResolvers()
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()))
    this.#settleClosed()
    return this.#closed.promise
  }

  #take(): Promise<PostgresConnection> {
    if (this.#closed !== undefined) return Promise.reject(unreachable('The store is closed.'))
    const idle = this.#idle.pop()
    if (idle !== undefined) return Promise.resolve(idle)
    if (this.#unreachableCause !== undefined) {
      return Promise.reject(unreachable('The database cannot be reached.', this.#unreachableCause))
    }
    if (this.#waiting.length >= maxWaiting) {
      return Promise.reject(unreachable('Too many requests wait for the database.'))
    }
    const until = performance.now() + connectTimeout
    const waiting = { ...Promise.withResolvers<PostgresConnection>(), until }
    this.#waiting.push(waiting)
    this.#grow()
    return waiting.promise
  }

  #giveBack(connection: PostgresConnection): void {
    if (connection.broken) return
    if (!connection.reusable) {
      connection.discard()
      return
    }
    const next = this.#waiting.shift()
    if (next !== undefined) next.resolve(connection)
    else if (this.#closed !== undefined) void connection.close().finally(() => this.#settleClosed())
    else this.#idle.push(connection)
  }

  /** Opens one more connection for waiting callers, within the limit. */
  #grow(): void {
    if (this.#opening >= this.#waiting.length) return
    if (this.#all.size + this.#opening >= this.#options.size) return
    void this.#open()
  }

  async #open(): Promise<void> {
    this.#opening += 1
    try {
      this.#add(await this.#options.connect())
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#opening -= 1
      this.#settleClosed()
    }
  }

  #add(connection: PostgresConnection): void {
    if (connection.broken) return
    this.#unreachableCause = undefined
    this.#all.add(connection)
    connection.onBroken = () => this.#forget(connection)
    this.#giveBack(connection)
  }

  #forget(connection: PostgresConnection): void {
    this.#all.delete(connection)
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
    this.#settleClosed()
    if (this.#closed === undefined) this.#grow()
  }

  /** Without any connection the database is unreachable, and waiting callers are rejected. */
  #failed(error: unknown): void {
    if (this.#all.size > 0) return
    if (this.#unreachableCause === undefined) {
      this.#options.observe({ kind: 'store-unavailable', reason: 'unreachable', cause: error })
    }
    this.#unreachableCause = error
    for (const { reject } of this.#waiting.splice(0)) {
      reject(toStoreUnavailable(error) ?? unreachable('The database cannot be reached.', error))
    }
  }

  #checkConnections(): void {
    const now = performance.now()
    const stuck = [...this.#all].filter((connection) => connection.expire(now))
    // Idle connections are probably dead too where one did not respond.
    if (stuck.length > 0) for (const idle of [...this.#idle]) idle.discard()
    while ((this.#waiting[0]?.until ?? now) < now) {
      this.#waiting.shift()?.reject(unreachable('No connection to the database was free in time.'))
    }
    if (this.#closed !== undefined || this.#unreachableCause === undefined) return
    if (this.#opening < maxPendingRetries) void this.#open()
  }

  #settleClosed(): void {
    if (this.#closed === undefined || this.#all.size + this.#opening > 0) return
    clearInterval(this.#timer)
    for (const { reject } of this.#waiting.splice(0)) reject(unreachable('The store is closed.'))
    this.#closed.resolve()
  }
}

/** Whether the error concerns the server and not the statement. */
function isServerUnavailable(error: unknown): boolean {
  const reason = toStoreUnavailable(error)
  if (reason === undefined) return false
  const cause = reason.cause
  const state = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return state.startsWith('57P') || state.startsWith('08') || state === '25006'
}
