/**
 * Slow statements, on threads of their own. Requesters take turns, and so one that sends many delays another one by one
 * statement. Statements that take long run on a second thread, where they delay no shorter ones.
 */

import { createFairQueue, type FairQueue } from '../../../limits/fair-queue.ts'
import { presentRequester } from '../../../limits/requester.ts'
import type { Row } from '../../row.ts'
import { SlowStatements } from '../../slow-statements.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { StoreUnavailable } from '../../store.ts'
import { type ReaderData, ReaderThread } from './reader-thread.ts'

/** Milliseconds that a statement may take on the first thread. */
const shortLimit = 250
/** Statements that run or wait on one thread. */
const queueLimits = { concurrent: 1, perCaller: 30, perAddress: 60, total: 100, works: 'slow lists' }

const ignore = () => undefined

interface Lane {
  readonly thread: ReaderThread
  readonly queue: FairQueue
}

export class SlowReads {
  readonly #short: Lane
  readonly #long: Lane
  /** Those that go to the second thread directly. */
  readonly #longStatements = new SlowStatements(shortLimit)
  readonly #pending = new Set<Promise<void>>()
  #isClosed = false

  constructor(data: ReaderData) {
    const createLane = () => ({ thread: new ReaderThread(data), queue: createFairQueue(queueLimits) })
    this.#short = createLane()
    this.#long = createLane()
  }

  /**
   * The rows, or `late` after so many milliseconds, which include those in the queue. Rejects with StoreUnavailable, and
   * with a Refusal where the requester has used its time of reading, or too many wait.
   */
  rows(statement: Statement, milliseconds: number): Promise<readonly Row[] | 'late'> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailable('unreachable', 'The store is closed.'))
    const rows = this.#runBefore(performance.now() + milliseconds, statement)
    const end = rows.then(ignore, ignore).then(() => void this.#pending.delete(end))
    this.#pending.add(end)
    return rows
  }

  /** Resolves when pending statements are finished and the threads have closed the file. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#pending)
    await Promise.all([this.#short.thread.close(), this.#long.thread.close()])
  }

  async #runBefore(deadline: number, statement: Statement): Promise<readonly Row[] | 'late'> {
    if (!this.#longStatements.has(statement)) {
      const rows = await this.#run(this.#short, statement, { deadline, limit: shortLimit })
      if (rows !== 'late' || performance.now() >= deadline) return rows
      this.#longStatements.add(statement)
    }
    const began = performance.now()
    const rows = await this.#run(this.#long, statement, { deadline, limit: Number.POSITIVE_INFINITY })
    this.#longStatements.took(statement, performance.now() - began)
    return rows
  }

  async #run(
    { thread, queue }: Lane,
    statement: Statement,
    { deadline, limit }: { readonly deadline: number; readonly limit: number },
  ): Promise<readonly Row[] | 'late'> {
    const requester = presentRequester()
    const { readBudget, caller } = requester
    readBudget?.requireTime(caller)
    return queue.turnFor(requester)(async () => {
      const began = performance.now()
      if (began >= deadline) return 'late'
      // Statements of the same requester, which were before it in the queue, have taken time.
      readBudget?.requireTime(caller)
      try {
        return await thread.rows(statement, Math.min(limit, deadline - began))
      } finally {
        readBudget?.spend(caller, performance.now() - began)
      }
    })
  }
}
