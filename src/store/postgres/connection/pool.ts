/**
 * The connections of one node: so many at most, with so many callers waiting at most. While the
 * database is known to be away nobody waits: callers are told at once, and the pool knocks until
 * somebody opens.
 */

import type { Observer } from '../../../observation.ts'
import { findUnavailable, unreachable } from '../postgres-failure.ts'
import { connectTimeout, type PostgresConnection } from './connection.ts'

export interface PoolOptions {
  readonly size: number
  /** An open connection, ready for use, or an error. */
  connect(): Promise<PostgresConnection>
  readonly observe: Observer
}

/** How many may wait; beyond, a caller is refused at once rather than kept in memory. */
const maxWaiting = 1000
/** How often a database that is away is knocked at, and connections are looked over. */
const retryInterval = 250
/** How many knocks may be unanswered at a time. */
const maxPendingRetries = connectTimeout / retryInterval

interface Waiting extends PromiseWithResolvers<PostgresConnection> {
  readonly until: number
}

export class Pool {
  readonly #options: PoolOptions
  readonly #all = new Set<PostgresConnection>()
  /** The last one used is the first to be used again. */
  readonly #idle: PostgresConnection[] = []
  readonly #waiting: Waiting[] = []
  readonly #timer: NodeJS.Timeout
  #opening = 0
  #away: unknown
  #closed: PromiseWithResolvers<void> | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#lookOver(), retryInterval).unref()
  }

  /** Works with a connection of its own. Throws StoreUnavailable where there is none to be had. */
  async use<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take()
    try {
      return await work(connection)
    } catch (error) {
      // A server that is going down or is a standby now is not asked again.
      if (isServerUnavailable(error)) connection.discard()
      throw error
    } finally {
      this.#giveBack(connection)
    }
  }

  /** How many connections there may be. */
  get maxSize(): number {
    return this.#options.size
  }

  /**
   * Works with a connection beside those of the pool: for what is held while others are asked for,
   * which in a small pool would wait for itself.
   */
  async useExtra<Result>(
    work: (connection: PostgresConnection) => Promise<Result>,
  ): Promise<Result> {
    const connection = await this.#options.connect()
    try {
      return await work(connection)
    } finally {
      await connection.close()
    }
  }

  /** How many connections are open, in use or not. */
  get size(): number {
    return this.#all.size
  }

  /** Waits for those in use, then closes them all. */
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
    if (this.#away !== undefined) {
      return Promise.reject(unreachable('The database cannot be reached.', this.#away))
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

  /** One connection more for those who wait, where there is room. */
  #grow(): void {
    if (this.#opening >= this.#waiting.length) return
    if (this.#all.size + this.#opening >= this.#options.size) return
    void this.#open()
  }

  async #open(): Promise<void> {
    this.#opening += 1
    try {
      this.#welcome(await this.#options.connect())
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#opening -= 1
      this.#settleClosed()
    }
  }

  #welcome(connection: PostgresConnection): void {
    if (connection.broken) return
    this.#away = undefined
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

  /** With connections left those who wait may still get one; with none the database is away. */
  #failed(error: unknown): void {
    if (this.#all.size > 0) return
    if (this.#away === undefined) {
      this.#options.observe({ kind: 'store-unavailable', reason: 'unreachable', cause: error })
    }
    this.#away = error
    for (const { reject } of this.#waiting.splice(0)) {
      reject(findUnavailable(error) ?? unreachable('The database cannot be reached.', error))
    }
  }

  #lookOver(): void {
    const now = performance.now()
    const stuck = [...this.#all].filter((connection) => connection.expire(now))
    // What lies idle beside one that had no answer is most likely dead too.
    if (stuck.length > 0) for (const idle of [...this.#idle]) idle.discard()
    while ((this.#waiting[0]?.until ?? now) < now) {
      this.#waiting.shift()?.reject(unreachable('No connection to the database was free in time.'))
    }
    if (this.#closed !== undefined || this.#away === undefined) return
    if (this.#opening < maxPendingRetries) void this.#open()
  }

  #settleClosed(): void {
    if (this.#closed === undefined || this.#all.size + this.#opening > 0) return
    clearInterval(this.#timer)
    for (const { reject } of this.#waiting.splice(0)) reject(unreachable('The store is closed.'))
    this.#closed.resolve()
  }
}

/** Whether the error is about the server and not about what it was asked. */
function isServerUnavailable(error: unknown): boolean {
  const reason = findUnavailable(error)
  if (reason === undefined) return false
  const cause = reason.cause
  const state = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return state.startsWith('57P') || state.startsWith('08') || state === '25006'
}
