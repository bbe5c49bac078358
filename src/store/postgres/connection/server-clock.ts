/**
 * The time of the database server, which all nodes share whatever their own clocks show. It is estimated from the
 * time in a response and continued by a clock that is never set, so that reading it costs no round trip.
 */

import type { PostgresConnection } from './connection.ts'

const timeSql = 'select (extract(epoch from clock_timestamp()) * 1000)::float8'

export class ServerClock {
  /** The milliseconds by which the server is ahead of `performance.now()`. */
  #offset: number | undefined

  /** In milliseconds. Throws before the clock is set. */
  now(): number {
    if (this.#offset === undefined) throw new Error('The time of the database is not known yet')
    return Math.floor(performance.now() + this.#offset)
  }

  /** Sets the clock, unless it agrees with the server as far as the duration of the question can tell. */
  async set(connection: PostgresConnection): Promise<void> {
    const sent = performance.now()
    const [row] = await connection.run(timeSql)
    const uncertainty = (performance.now() - sent) / 2
    const offset = Number(row?.[0]) - (sent + uncertainty)
    const agrees = this.#offset !== undefined && Math.abs(offset - this.#offset) <= uncertainty
    if (!agrees) this.#offset = offset
  }
}
