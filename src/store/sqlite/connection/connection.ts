/** A connection to one SQLite file, with its settings and a cache of prepared statements. */

import { DatabaseSync, type SQLInputValue, type StatementResultingChanges } from 'node:sqlite'
import type { Row } from '../../row.ts'
import { countCharacters } from '../../row-size.ts'
import type { Statement } from '../../sql/sql-text.ts'
import { checkpointThreshold, requireSpaceFor } from '../write/wal-space.ts'
import { defineTotals } from './total-functions.ts'

export type ConnectionUse = 'read' | 'read unmapped' | 'write' | 'migrate'

/** Milliseconds to wait for a lock, which is rare in WAL mode. */
const busyTimeout = 2000
const maxStatements = 500
/** Octets: about the smallest growth of a file. */
const pageSize = 4096

const settings: Readonly<Record<ConnectionUse, string>> = {
  // The largest mapping that SQLite allows; the cache is for the rest of the file and for the WAL.
  read: 'pragma cache_size = -16384; pragma mmap_size = 2147418112',
  // For scans, which read each page once, and for the reasons in read-connection.ts.
  'read unmapped': 'pragma cache_size = -2048; pragma mmap_size = 0',
  // FULL makes a commit survive a power cut. The cache is for index pages. SQLite scans it at many
  // commits, so a larger one costs more than it saves. The limit truncates the WAL after a burst.
  write: 'pragma synchronous = full; pragma cache_size = -8192; pragma journal_size_limit = 134217728',
  migrate: 'pragma journal_mode = wal; pragma synchronous = full',
}

export interface ConnectionOptions {
  readonly file: string
  readonly use: ConnectionUse
  /** Whether the file is deleted with the process, so that no commit need survive a power cut. */
  readonly temporary: boolean
}

/** A statement of a SqliteConnection, which returns rows as arrays. */
export interface RowStatement {
  all(...values: SQLInputValue[]): Row[]
  get(...values: SQLInputValue[]): Row | undefined
  iterate(...values: SQLInputValue[]): Iterable<Row>
  run(...values: SQLInputValue[]): StatementResultingChanges
}

/** The types of `node:sqlite` do not have the effect of `returnArrays`. */
interface UntypedStatement extends Pick<RowStatement, 'run'> {
  all(...values: SQLInputValue[]): unknown
  get(...values: SQLInputValue[]): unknown
  iterate(...values: SQLInputValue[]): unknown
}

interface CachedStatement {
  readonly statement: RowStatement
  /** The number of its last use. */
  used: number
}

/** A statement ran past its deadline. */
export class DeadlineExceeded extends Error {
  constructor() {
    super('The statement took too long')
    this.name = 'DeadlineExceeded'
  }
}

/** A bit mask: the clock is read once for 64 rows. */
const clockMask = 63

export class SqliteConnection {
  readonly database: DatabaseSync
  /** On the clock of `performance.now()`. */
  #deadline = Number.POSITIVE_INFINITY
  /** Whether the last statement ran past its deadline. */
  #isLate = false
  #ticks = 0
  readonly #statements = new Map<string, CachedStatement>()
  #uses = 0
  #walLimit: number | undefined
  readonly #file: string
  /** Whether a commit must first reserve the disk space that a checkpoint will need. */
  isSpaceScarce = false

  constructor({ file, use, temporary }: ConnectionOptions) {
    this.#file = file
    this.database = new DatabaseSync(file, {
      readOnly: isReading(use),
      returnArrays: true,
      timeout: busyTimeout,
      defensive: true,
      // A migration rebuilds tables that others refer to, and checks all references at its end.
      enableForeignKeyConstraints: use !== 'migrate',
    })
    try {
      this.database.exec(`pragma trusted_schema = off; ${settings[use]}`)
      if (temporary && !isReading(use)) this.database.exec('pragma synchronous = off')
    } catch (error) {
      this.database.close()
      throw error
    }
    defineTotals(this.database)
    this.database.function('tick', { deterministic: false, directOnly: true }, () => this.#tick())
  }

  /** Called for every row that a statement with a deadline reads. */
  #tick(): number {
    this.#ticks += 1
    if ((this.#ticks & clockMask) === 0 && performance.now() > this.#deadline) {
      this.#isLate = true
      throw new DeadlineExceeded()
    }
    return 1
  }

  /** The rows; throws DeadlineExceeded at the deadline, on the clock of `performance.now()`. */
  rowsBeforeDeadline(deadline: number, statement: Statement): readonly Row[] {
    this.#deadline = deadline
    this.#isLate = false
    try {
      const rows = this.rows(statement)
      // Node loses the error of a statement with an aggregate function in JavaScript.
      if (this.#isLate) throw new DeadlineExceeded()
      return rows
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY
    }
  }

  /** Writes one page; throws where that fails. The value alternates: SQLite skips equal content. */
  probe(): void {
    if (this.isSpaceScarce) requireSpaceFor(this.#file, this.#size().octets + pageSize)
    const toggle = 'on conflict ("name") do update set "value" = 1 - "value"'
    this.cachedStatement(`insert into "_meta" ("name", "value") values ('probe', '0') ${toggle}`).run()
  }

  /** Copies the WAL into the file; false where a reader or another checkpoint prevented part of it. */
  checkpoint(): boolean {
    const result = this.row({ sql: 'pragma wal_checkpoint(passive)', values: [] })
    const [busy, pages, copied] = result ?? []
    return busy === 0 && pages === copied
  }

  /** Commits. Throws StoreUnavailable where a checkpoint would not have the disk space. */
  commit(): void {
    if (this.isSpaceScarce) requireSpaceFor(this.#file, this.#size().octets)
    this.cachedStatement('commit').run()
  }

  #size(): { readonly pages: number; readonly octets: number } {
    const sql = 'select page_count, page_size from pragma_page_count, pragma_page_size'
    const [pages, octets] = this.row({ sql, values: [] }) ?? []
    return { pages: Number(pages), octets: Number(pages) * Number(octets) }
  }

  /** Copies the WAL into the file and truncates it; false where a reader needs it. */
  truncateWal(): boolean {
    const [busy] = this.row({ sql: 'pragma wal_checkpoint(truncate)', values: [] }) ?? []
    return busy === 0
  }

  /** Sets the number of WAL pages from which SQLite checkpoints after a commit. */
  updateWalLimit(): void {
    const limit = checkpointThreshold(this.#size().pages)
    if (limit === this.#walLimit) return
    this.database.exec(`pragma wal_autocheckpoint = ${limit}`)
    this.#walLimit = limit
  }

  rows({ sql, values, octets }: Statement): readonly Row[] {
    if (octets !== undefined) return this.#rowsWithin(octets, { sql, values })
    return this.cachedStatement(sql).all(...values)
  }

  /** Reads row by row, which is slower than `all`. */
  #rowsWithin(octets: number, { sql, values }: Statement): readonly Row[] {
    const rows: Row[] = []
    let characters = 0
    try {
      for (const row of this.cachedStatement(sql).iterate(...values)) {
        rows.push(row)
        characters += countCharacters(row)
        if (characters > octets && rows.length > 1) break
      }
      return rows
    } catch (error) {
      // Node does not reset a failed statement, so its next use would fail too.
      this.#statements.delete(sql)
      throw error
    }
  }

  row(statement: Statement): Row | undefined {
    return this.cachedStatement(statement.sql).get(...statement.values)
  }

  /** Runs SQL once, without the cache: for migrations, which change tables. */
  query(sql: string): readonly Row[] {
    return this.prepare(sql).all()
  }

  /** Runs the work in a transaction, which is rolled back where it throws. */
  transaction<Result>(work: () => Result): Result {
    this.database.exec('begin immediate')
    try {
      const result = work()
      this.database.exec('commit')
      return result
    } finally {
      if (this.database.isTransaction) this.database.exec('rollback')
    }
  }

  /** A new statement. */
  prepare(sql: string): RowStatement {
    const statement: UntypedStatement = this.database.prepare(sql)
    return statement as RowStatement
  }

  /** The statement from the cache, an LRU cache. */
  cachedStatement(sql: string): RowStatement {
    let known = this.#statements.get(sql)
    if (known === undefined) {
      if (this.#statements.size >= maxStatements) this.#evictOldest()
      known = { statement: this.prepare(sql), used: 0 }
      this.#statements.set(sql, known)
    }
    known.used = this.#uses++
    return known.statement
  }

  #evictOldest(): void {
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
