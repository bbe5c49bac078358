/**
 * A standby that may be read from, and how old what it shows can be. The position of the primary's
 * log is noted with its time again and again: a standby that has come so far has everything that
 * was acknowledged before. What it is not known to have, it is not asked for.
 */

import { withoutPassword } from '../connection/location.ts'
import type { Pool } from '../connection/pool.ts'
import type { PostgresStore } from '../postgres-store.ts'

/** How far the primary's log was, at a time on the clock of `performance.now()`. */
export interface PositionSample extends LogPosition {
  readonly at: number
}

interface LogPosition {
  readonly position: bigint
  /** Which tables these are: the server's own number, the database, the schema. */
  readonly place: string
}

const standingSql = (position: string) => `select pg_wal_lsn_diff(${position}, '0/0')::text,
  concat_ws('/', (select system_identifier from pg_control_system()), current_database(), current_schema())`
const writtenSql = standingSql('pg_current_wal_lsn()')
/** Null on a server that is no standby, such as one that was promoted: it follows nobody. */
const replayedSql = standingSql('pg_last_wal_replay_lsn()')

/** The time is from before the question: what was acknowledged by then is within the position. */
export async function takeSample(primary: Pool): Promise<PositionSample> {
  const at = performance.now()
  return { at, ...(await standingOf(primary, writtenSql)) }
}

async function standingOf(pool: Pool, sql: string): Promise<LogPosition> {
  const [row] = await pool.use((connection) => connection.rows({ sql, values: [] }))
  const [position, place] = row ?? []
  if (typeof position !== 'string') throw new Error('The server is no standby')
  return { position: BigInt(position), place: String(place) }
}

export interface ReplicaOptions {
  readonly pool: Pool
  readonly store: PostgresStore
  readonly url: string
  /** Throws where it cannot be used at all, such as behind a pooler in transaction mode. */
  verify(): Promise<void>
}

export class Replica {
  readonly store: PostgresStore
  /** As people are told of it. */
  readonly shown: string
  readonly #pool: Pool
  /** Everything that was acknowledged before then is here. */
  #upTo = Number.NEGATIVE_INFINITY
  #looking = false
  readonly #verify: () => Promise<void>
  #verified = false

  constructor({ pool, store, url, verify }: ReplicaOptions) {
    this.#pool = pool
    this.#verify = verify
    this.store = store
    this.shown = withoutPassword(url)
  }

  /** Milliseconds by which it may be behind. */
  age(now: number): number {
    return now - this.#upTo
  }

  /** Not used again before it has answered for itself. */
  markStale(): void {
    this.#upTo = Number.NEGATIVE_INFINITY
  }

  /** Whether it told how far it is; false while it still owes an earlier answer. Throws why not. */
  async refresh(samples: readonly PositionSample[]): Promise<boolean> {
    if (this.#looking) return false
    this.#looking = true
    try {
      if (!this.#verified) await this.#verify()
      this.#verified = true
      const { position: replayed, place } = await standingOf(this.#pool, replayedSql)
      const last = samples.at(-1)
      if (last !== undefined && last.place !== place) throw new Error('It follows another database')
      const reached = samples.findLast(({ position }) => position <= replayed)
      this.#upTo = reached?.at ?? Number.NEGATIVE_INFINITY
      return true
    } finally {
      this.#looking = false
    }
  }
}
