/**
 * A standby to read from, and its maximum staleness. The position of the primary's write-ahead log
 * is sampled with its time; a standby that has replayed up to a sampled position has every write
 * acknowledged before that time.
 */

import { withoutPassword } from '../connection/database-url.ts'
import type { Pool } from '../connection/pool.ts'
import type { PostgresStore } from '../postgres-store.ts'

/** The position of the primary's write-ahead log at a time of `performance.now()`. */
export interface WalSample extends WalPosition {
  readonly at: number
}

interface WalPosition {
  readonly position: bigint
  /** The identifier of the server, the database and the schema. */
  readonly databaseId: string
}

const walPositionSql = (position: string) => `select pg_wal_lsn_diff(${position}, '0/0')::text,
  concat_ws('/', (select system_identifier from pg_control_system()), current_database(), current_schema())`
const writtenSql = walPositionSql('pg_current_wal_lsn()')
/** The position is null on a server that is not a standby, such as a promoted one. */
const replayedSql = walPositionSql('pg_last_wal_replay_lsn()')

/** Reads the position of the primary. The time is taken first, so the position covers all earlier writes. */
export async function takeWalSample(primary: Pool): Promise<WalSample> {
  const at = performance.now()
  return { at, ...(await loadPosition(primary, writtenSql)) }
}

async function loadPosition(pool: Pool, sql: string): Promise<WalPosition> {
  const [row] = await pool.use((connection) => connection.rows({ sql, values: [] }))
  const [position, databaseId] = row ?? []
  if (typeof position !== 'string') throw new Error('The server is not a standby')
  return { position: BigInt(position), databaseId: String(databaseId) }
}

export interface ReplicaOptions {
  readonly pool: Pool
  readonly store: PostgresStore
  readonly url: string
  /** Rejects if the server cannot be used, such as behind a pooler in transaction mode. */
  verify(): Promise<void>
}

export class Replica {
  readonly store: PostgresStore
  /** The URL without the password. */
  readonly displayUrl: string
  readonly #pool: Pool
  /** All writes acknowledged before this time are replayed. */
  #upTo = Number.NEGATIVE_INFINITY
  #refreshing = false
  readonly #verify: () => Promise<void>
  #verified = false

  constructor({ pool, store, url, verify }: ReplicaOptions) {
    this.#pool = pool
    this.#verify = verify
    this.store = store
    this.displayUrl = withoutPassword(url)
  }

  /** The maximum staleness in milliseconds. */
  age(now: number): number {
    return now - this.#upTo
  }

  /** Prevents use until the next successful refresh. */
  markStale(): void {
    this.#upTo = Number.NEGATIVE_INFINITY
  }

  /** Updates the staleness. Returns false while an earlier refresh runs; rejects if the standby is unusable. */
  async refresh(samples: readonly WalSample[]): Promise<boolean> {
    if (this.#refreshing) return false
    this.#refreshing = true
    try {
      if (!this.#verified) await this.#verify()
      this.#verified = true
      const { position: replayed, databaseId } = await loadPosition(this.#pool, replayedSql)
      const last = samples.at(-1)
      if (last !== undefined && last.databaseId !== databaseId)
        throw new Error('It is a standby of another database')
      const reached = samples.findLast(({ position }) => position <= replayed)
      this.#upTo = reached?.at ?? Number.NEGATIVE_INFINITY
      return true
    } finally {
      this.#refreshing = false
    }
  }
}
