/**
 * Lists and counts, which may be slow. Each runs on the calling thread for a short time first; after
 * that a thread of slow reads runs it again under the limit for statements. Beyond that limit it is
 * refused and logged.
 */

import type { Observer } from '../../../observation.ts'
import type { Row } from '../../row.ts'
import { SlowStatements } from '../../slow-statements.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { type MaybePromise, StoreUnavailable } from '../../store.ts'
import { DeadlineExceeded, type SqliteConnection } from '../connection/connection.ts'
import type { SlowReads } from './slow-reads.ts'

export interface ListReaderOptions {
  /** The connection to read with now. */
  readonly connection: () => SqliteConnection
  readonly slowReads: SlowReads
  readonly observe: Observer
  /** The error to throw where reading failed. */
  readonly failed: (error: unknown) => unknown
  /** The time limit of a statement in milliseconds. */
  readonly limit: number
}

/** Describes the query for the log. */
export interface ReadDescription {
  readonly table: string
  /** The columns without an index. */
  columns(): readonly string[]
}

/** How long a list may block the calling thread, in milliseconds. */
const mainThreadLimit = 25
/** A slow statement goes to another thread directly, until it takes less than this there. */
const quickLimit = 10

export class ListReader {
  readonly #parts: ListReaderOptions
  readonly #slow = new SlowStatements(quickLimit)

  constructor(parts: ListReaderOptions) {
    this.#parts = parts
  }

  rows(statement: Statement, description: ReadDescription): MaybePromise<readonly Row[]> {
    if (this.#slow.has(statement)) return this.#onThread(statement, description)
    const { connection, limit } = this.#parts
    const deadline = performance.now() + Math.min(limit, mainThreadLimit)
    try {
      return connection().rowsBeforeDeadline(deadline, statement)
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw this.#parts.failed(error)
      this.#slow.add(statement)
      return this.#onThread(statement, description)
    }
  }

  async #onThread(statement: Statement, description: ReadDescription): Promise<readonly Row[]> {
    const { slowReads, observe, limit, failed } = this.#parts
    const began = performance.now()
    const rows = await slowReads.rows(statement, limit).catch((error) => {
      throw failed(error)
    })
    const milliseconds = performance.now() - began
    if (rows === 'late') {
      const columns = description.columns()
      observe({ kind: 'slow-list', table: description.table, columns, milliseconds })
      throw new StoreUnavailable('slow', `A list of '${description.table}' took too long.`)
    }
    this.#slow.took(statement, milliseconds)
    return rows
  }
}
