/** Turns across the nodes of a PostgreSQL database: advisory locks of connections outside of the pool. */

import { LocalTurns } from '../../local-turns.ts'
import type { Pool } from './pool.ts'
import { lockSessionUntil } from './session-lock.ts'

export class SessionTurns {
  readonly #pool: Pool
  readonly #local = new LocalTurns()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Runs the work in its turn; undefined where the turn did not come in time. */
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
