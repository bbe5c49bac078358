/** A connection to one SQLite file, with its settings and its statements prepared once. */

import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Row } from '../../row.ts'
import { countCharacters } from '../../row-size.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { checkpointThreshold, requireGrowth } from '../write/log-space.ts'

export type ConnectionUse = 'read' | 'read unmapped' | 'write' | 'evolve'

/** How long a lock is waited for; in WAL mode readers and the one writer hardly ever do. */
const busyTimeout = 2000
const maxStatements = 500
/** Octets, about as many as the smallest growth of a file. */
const pageSize = 4096

const settings: Readonly<Record<ConnectionUse, string>> = {
  // As much of the file mapped as SQLite maps at all; the cache is for the rest and for the WAL.
  read: 'pragma cache_size = -16384; pragma mmap_size = 2147418112',
  // For what is walked through once and need not be kept, and for what reading.ts says.
  'read unmapped': 'pragma cache_size = -2048; pragma mmap_size = 0',
  // FULL makes a commit survive a power cut. The cache is for indexes, which are changed anywhere;
  // SQLite looks through all of it at many a commit, so that a larger one costs more than it saves.
  // The log is cut back after a burst.
  write:
    'pragma synchronous = full; pragma cache_size = -8192; pragma journal_size_limit = 134217728',
  evolve: 'pragma journal_mode = wal; pragma synchronous = full',
}

export interface ConnectionOptions {
  readonly file: string
  readonly use: ConnectionUse
  /** The file does not outlive the process, so that nothing need survive a power cut. */
  readonly temporary: boolean
}

interface Prepared {
  readonly statement: StatementSync
  /** The number of its last use. */
  used: number
}

/** A statement took longer than it was given. */
export class DeadlineExceeded extends Error {
  constructor() {
    super('The statement took too long')
    this.name = 'DeadlinePassed'
  }
}

/** How many rows are looked at between two looks at the clock, less one. */
const clockInterval = 63

export class SqliteConnection {
  readonly database: DatabaseSync
  /** On the clock of `performance.now()`. */
  #deadline = Number.POSITIVE_INFINITY
  #ticks = 0
  readonly #statements = new Map<string, Prepared>()
  #uses = 0
  #logLimit: number | undefined
  readonly #file: string
  /** Whether a commit must leave room for the file to grow by what it adds. */
  spaceIsScarce = false

  constructor({ file, use, temporary }: ConnectionOptions) {
    this.#file = file
    this.database = new DatabaseSync(file, {
      readOnly: isReading(use),
      returnArrays: true,
      timeout: busyTimeout,
      defensive: true,
      // A table is rebuilt while others refer to it; evolution checks all references at its end.
      enableForeignKeyConstraints: use !== 'evolve',
    })
    try {
      this.database.exec(`pragma trusted_schema = off; ${settings[use]}`)
      if (temporary && !isReading(use)) this.database.exec('pragma synchronous = off')
    } catch (error) {
      this.database.close()
      throw error
    }
    this.database.function('tick', { deterministic: false, directOnly: true }, () => this.#tick())
  }

  /** Called for every row that a statement with a deadline looks at. */
  #tick(): number {
    this.#ticks += 1
    if ((this.#ticks & clockInterval) === 0 && performance.now() > this.#deadline) {
      throw new DeadlineExceeded()
    }
    return 1
  }

  /** The rows; throws DeadlinePassed where that takes longer than until then. */
  rowsBeforeDeadline(deadline: number, statement: Statement): readonly Row[] {
    this.#deadline = deadline
    try {
      return this.rows(statement)
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY
    }
  }

  /** Writes one page: throws where the file takes no more. SQLite skips a write of equal content. */
  probe(): void {
    if (this.spaceIsScarce) requireGrowth(this.#file, this.#size().octets + pageSize)
    const other = 'on conflict ("name") do update set "value" = 1 - "value"'
    this.prepared(`insert into "_meta" ("name", "value") values ('probe', '0') ${other}`).run()
  }

  /** Copies the log into the file; false where a reader still needs it, or another is doing so. */
  checkpoint(): boolean {
    const folding = this.row({ sql: 'pragma wal_checkpoint(passive)', values: [] })
    const [busy, pages, folded] = folding ?? []
    return busy === 0 && pages === folded
  }

  /** Ends the transaction. Throws StoreUnavailable where the log could not be copied into the file. */
  commit(): void {
    if (this.spaceIsScarce) requireGrowth(this.#file, this.#size().octets)
    this.prepared('commit').run()
  }

  #size(): { readonly pages: number; readonly octets: number } {
    const sql = 'select page_count, page_size from pragma_page_count, pragma_page_size'
    const [pages, octets] = this.row({ sql, values: [] }) ?? []
    return { pages: Number(pages), octets: Number(pages) * Number(octets) }
  }

  /** Copies the log into the file and cuts it to nothing; false where a reader needs it. */
  truncateLog(): boolean {
    const [busy] = this.row({ sql: 'pragma wal_checkpoint(truncate)', values: [] }) ?? []
    return busy === 0
  }

  /** From so many pages on, SQLite copies the log into the file after a commit. */
  updateLogLimit(): void {
    const limit = checkpointThreshold(this.#size().pages)
    if (limit === this.#logLimit) return
    this.database.exec(`pragma wal_autocheckpoint = ${limit}`)
    this.#logLimit = limit
  }

  rows({ sql, values, octets }: Statement): readonly Row[] {
    if (octets !== undefined) return this.#rowsWithin(octets, { sql, values })
    return this.prepared(sql).all(...values) as unknown as Row[]
  }

  /** Takes one row after another, which costs more than to take them all at once. */
  #rowsWithin(octets: number, { sql, values }: Statement): readonly Row[] {
    const rows: Row[] = []
    let characters = 0
    try {
      // The connection was opened to give rows as arrays.
      for (const row of this.prepared(sql).iterate(...values) as Iterable<unknown>) {
        rows.push(row as Row)
        characters += countCharacters(row as Row)
        if (characters > octets && rows.length > 1) break
      }
      return rows
    } catch (error) {
      // Node leaves a statement that failed as it is, and its next use would fail for the same reason.
      this.#statements.delete(sql)
      throw error
    }
  }

  row(statement: Statement): Row | undefined {
    return this.prepared(statement.sql).get(...statement.values) as unknown as Row | undefined
  }

  prepared(sql: string): StatementSync {
    let known = this.#statements.get(sql)
    if (known === undefined) {
      if (this.#statements.size >= maxStatements) this.#forgetOldest()
      known = { statement: this.database.prepare(sql), used: 0 }
      this.#statements.set(sql, known)
    }
    known.used = this.#uses++
    return known.statement
  }

  #forgetOldest(): void {
    let oldest = Number.POSITIVE_INFINITY
    let name = ''
    for (const [sql, { used }] of this.#statements) {
      if (used > oldest) continue
      oldest = used
      name = sql
    }
    this.#statements.delete(name)
  }

  close(): void {
    this.#statements.clear()
    this.database.close()
  }
}

function isReading(use: ConnectionUse): boolean {
  return use === 'read' || use === 'read unmapped'
}
