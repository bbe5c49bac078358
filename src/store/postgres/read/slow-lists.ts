/**
 * Lists that may be slow. Those that were leave half of the connections to others, and their requesters take turns. The
 * time that they take counts for their requester.
 */

import { createFairQueue, type FairQueue } from '../../../limits/fair-queue.ts'
import { presentRequester } from '../../../limits/requester.ts'
import type { Row } from '../../row.ts'
import { SlowStatements } from '../../slow-statements.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { StoreUnavailable } from '../../store.ts'
import type { Pool } from '../connection/pool.ts'

/** Milliseconds from which a statement is slow. A server far away takes some of them for every statement. */
const slowLimit = 100
/** Milliseconds that a slow statement may wait for its turn. */
const waitLimit = 5000
const queueLimits = { perCaller: 30, perAddress: 60, total: 100, works: 'slow lists' }

export class SlowLists {
  readonly #pool: Pool
  readonly #queue: FairQueue
  readonly #slow = new SlowStatements(slowLimit)

  constructor(pool: Pool) {
    this.#pool = pool
    this.#queue = createFairQueue({ ...queueLimits, concurrent: Math.ceil(pool.maxSize / 2) })
  }

  /** Throws a StoreUnavailable, or a Refusal where the requester has used its time of reading or too many wait. */
  rows(statement: Statement): Promise<readonly Row[]> {
    const requester = presentRequester()
    requester.readBudget?.requireTime(requester.caller)
    if (!this.#slow.has(statement)) return this.#read(statement)
    const began = performance.now()
    return this.#queue.turnFor(requester)(() => {
      if (performance.now() - began > waitLimit) {
        throw new StoreUnavailable('slow', 'The statement waited too long for its turn.')
      }
      requester.readBudget?.requireTime(requester.caller)
      return this.#read(statement)
    })
  }

  /** The time that is measured does not include that to get a connection. */
  #read(statement: Statement): Promise<readonly Row[]> {
    const { readBudget, caller } = presentRequester()
    return this.#pool.use(async (connection) => {
      const began = performance.now()
      try {
        return await connection.rows(statement)
      } finally {
        const milliseconds = performance.now() - began
        this.#slow.took(statement, milliseconds)
        if (milliseconds >= slowLimit) {
          this.#slow.add(statement)
          readBudget?.spend(caller, milliseconds)
        }
      }
    })
  }
}
