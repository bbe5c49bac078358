/**
 * Snapshots: reads of one moment, in a transaction of a reader thread. The thread does nothing else until the transaction
 * ends. Requesters take turns, and the time of reading counts for them.
 */

import { createFairQueue, type FairQueue } from '../../../limits/fair-queue.ts'
import { presentRequester } from '../../../limits/requester.ts'
import type { Row } from '../../row.ts'
import { snapshotEnded } from '../../snapshot-refusals.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { StoreUnavailable } from '../../store.ts'
import { type ReaderData, ReaderThread } from './reader-thread.ts'

export type RunStatement = (statement: Statement) => Promise<readonly Row[]>

/** How many snapshots are open at once, each with a thread. */
const maxThreads = 2
const queueLimits = { concurrent: maxThreads, perCaller: 30, perAddress: 60, total: 100, works: 'queries' }
/** Milliseconds to begin and to end a transaction. */
const controlLimit = 1000

const begin: readonly Statement[] = [
  { sql: 'begin', values: [] },
  // The first read of a table fixes the snapshot of the transaction.
  { sql: 'select 1 from "sqlite_schema" limit 1', values: [] },
]
const rollback: Statement = { sql: 'rollback', values: [] }

export class Snapshots {
  readonly #data: ReaderData
  readonly #queue: FairQueue = createFairQueue(queueLimits)
  readonly #idle: ReaderThread[] = []
  readonly #pending = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(data: ReaderData) {
    this.#data = data
  }

  /** The result of the work, which reads rows of one moment. */
  run<Result>(milliseconds: number, work: (rows: RunStatement) => Promise<Result>): Promise<Result> {
    return this.#queue.turnFor(presentRequester())(() => {
      if (this.#isClosed) throw new StoreUnavailable('unreachable', 'The store is closed.')
      const result = this.#within(milliseconds, work)
      const end = result.catch(() => undefined).then(() => void this.#pending.delete(end))
      this.#pending.add(end)
      return result
    })
  }

  /** Resolves when the open snapshots have ended and their threads have closed the file. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#pending)
    await Promise.all(this.#idle.splice(0).map((thread) => thread.close()))
  }

  async #within<Result>(
    milliseconds: number,
    work: (rows: RunStatement) => Promise<Result>,
  ): Promise<Result> {
    const deadline = performance.now() + milliseconds
    const thread = this.#idle.pop() ?? new ReaderThread(this.#data)
    let isOpen = true
    try {
      for (const statement of begin) await thread.rows(statement, controlLimit)
      return await work((statement) => {
        if (!isOpen || performance.now() >= deadline) return Promise.reject(snapshotEnded())
        return readRows(thread, statement, deadline)
      })
    } finally {
      isOpen = false
      await this.#giveBack(thread)
    }
  }

  /** A thread whose transaction does not end is closed. */
  async #giveBack(thread: ReaderThread): Promise<void> {
    const ended = await thread.rows(rollback, controlLimit).catch(() => 'failed')
    if (typeof ended === 'string') await thread.close()
    else this.#idle.push(thread)
  }
}

async function readRows(
  thread: ReaderThread,
  statement: Statement,
  deadline: number,
): Promise<readonly Row[]> {
  const { readBudget, caller } = presentRequester()
  readBudget?.requireTime(caller)
  const began = performance.now()
  try {
    const rows = await thread.rows(statement, deadline - began)
    if (rows === 'late') throw snapshotEnded()
    return rows
  } finally {
    readBudget?.spend(caller, performance.now() - began)
  }
}
