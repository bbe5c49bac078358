/**
 * A standby that may be read from, and how old what it shows can be. The position of the primary's
 * log is noted with its time again and again: a standby that has come so far has everything that
 * was acknowledged before. What it is not known to have, it is not asked for.
 */

import { withoutPassword } from './location.ts'
import type { Pool } from './pool.ts'
import type { PostgresStore } from './postgres-store.ts'

/** How far the primary's log was, at a time on the clock of `performance.now()`. */
export interface Sample {
  readonly at: number
  readonly position: bigint
}

const positionSql = (position: string) => `select pg_wal_lsn_diff(${position}, '0/0')::text`
const writtenSql = positionSql('pg_current_wal_lsn()')
/** Null on a server that is no standby, such as one that was promoted: it follows nobody. */
const replayedSql = positionSql('pg_last_wal_replay_lsn()')

/** The time is from before the question: what was acknowledged by then is within the position. */
export async function takeSample(primary: Pool): Promise<Sample> {
  const at = performance.now()
  const position = await positionOf(primary, writtenSql)
  if (position === undefined) throw new Error('The primary does not say how far its log is')
  return { at, position }
}

async function positionOf(pool: Pool, sql: string): Promise<bigint | undefined> {
  const [row] = await pool.use((connection) => connection.rows({ sql, values: [] }))
  const text = row?.[0]
  return typeof text === 'string' ? BigInt(text) : undefined
}

export interface ReplicaParts {
  readonly pool: Pool
  readonly store: PostgresStore
  readonly url: string
}

export class Replica {
  readonly store: PostgresStore
  /** As people are told of it. */
  readonly shown: string
  readonly #pool: Pool
  /** Everything that was acknowledged before then is here. */
  #upTo = Number.NEGATIVE_INFINITY
  #looking = false

  constructor({ pool, store, url }: ReplicaParts) {
    this.#pool = pool
    this.store = store
    this.shown = withoutPassword(url)
  }

  /** Milliseconds by which it may be behind. */
  age(now: number): number {
    return now - this.#upTo
  }

  /** Not used again before it has answered for itself. */
  distrust(): void {
    this.#upTo = Number.NEGATIVE_INFINITY
  }

  /** Whether it told how far it is; false while it still owes an earlier answer. Throws why not. */
  async look(samples: readonly Sample[]): Promise<boolean> {
    if (this.#looking) return false
    this.#looking = true
    try {
      const replayed = await positionOf(this.#pool, replayedSql)
      const reached = samples.findLast(
        ({ position }) => replayed !== undefined && position <= replayed,
      )
      this.#upTo = reached?.at ?? Number.NEGATIVE_INFINITY
      return true
    } finally {
      this.#looking = false
    }
  }
}
