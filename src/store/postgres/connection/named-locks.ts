/** Named locks across the nodes of a PostgreSQL database: advisory locks of connections outside of the pool. */

import { LocalLocks } from '../../local-locks.ts'
import type { Pool } from './pool.ts'
import { lockSessionUntil } from './session-lock.ts'

export class PostgresNamedLocks {
  readonly #pool: Pool
  readonly #local = new LocalLocks()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Runs the work while it holds the lock; undefined where the lock was not free in time. */
  run<Result>(name: string, milliseconds: number, work: () => Promise<Result>): Promise<Result | undefined> {
    const until = performance.now() + milliseconds
    return this.#local.run(name, () =>
      this.#pool.useExtra(async (connection) => {
        if (!(await lockSessionUntil(connection, `turn:${name}`, until))) return undefined
        return work()
      }),
    )
  }
}
