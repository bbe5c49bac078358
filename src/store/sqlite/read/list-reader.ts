/**
 * Lists and counts, whose time nobody knows beforehand: each is given a moment on the calling
 * thread, so that the usual one costs no more than that; past it, the reader thread runs it again
 * under the limit for statements; past that, it is refused and the operator is told why.
 */

import type { Observer } from '../../../observation.ts'
import type { Row } from '../../row.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { type MaybePromise, StoreUnavailable } from '../../store.ts'
import { DeadlineExceeded, type SqliteConnection } from '../connection/connection.ts'
import type { ReaderThread } from './reader-thread.ts'

export interface ListReaderOptions {
  /** The one to read with now. */
  readonly connection: () => SqliteConnection
  readonly thread: ReaderThread
  readonly observe: Observer
  /** What to throw where reading failed. */
  readonly failed: (error: unknown) => unknown
  /** What a statement may take in all, in milliseconds. */
  readonly limit: number
}

/** What was asked, for the operator. */
export interface ReadDescription {
  readonly table: string
  /** Those that no index leads to. */
  columns(): readonly string[]
}

/** What a list may hold the calling thread. */
const mainThreadLimit = 25
/** A text that was slow goes to the thread at once, until it proves quick there. */
const maxSlowStatements = 200
const quickLimit = 10

export class ListReader {
  readonly #parts: ListReaderOptions
  readonly #slow = new Set<string>()

  constructor(parts: ListReaderOptions) {
    this.#parts = parts
  }

  rows(statement: Statement, asked: ReadDescription): MaybePromise<readonly Row[]> {
    if (this.#slow.has(statement.sql)) return this.#patiently(statement, asked)
    const { connection } = this.#parts
    try {
      return connection().rowsBeforeDeadline(performance.now() + mainThreadLimit, statement)
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw this.#parts.failed(error)
      this.#remember(statement.sql)
      return this.#patiently(statement, asked)
    }
  }

  async #patiently(statement: Statement, asked: ReadDescription): Promise<readonly Row[]> {
    const { thread, observe, limit, failed } = this.#parts
    const began = performance.now()
    const rows = await thread.rows(statement, limit).catch((error) => {
      throw failed(error)
    })
    const milliseconds = performance.now() - began
    if (rows === 'late') {
      const columns = asked.columns()
      observe({ kind: 'slow-list', table: asked.table, columns, milliseconds })
      throw new StoreUnavailable('slow', `A list of '${asked.table}' took too long.`)
    }
    if (milliseconds < quickLimit) this.#slow.delete(statement.sql)
    return rows
  }

  #remember(sql: string): void {
    if (this.#slow.size >= maxSlowStatements) this.#slow.clear()
    this.#slow.add(sql)
  }
}
