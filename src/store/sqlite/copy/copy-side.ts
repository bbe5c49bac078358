/** A SQLite file at either side of a copy: locked while it is open, and read in batches. */

import { batchSql, type CopiedRow, type CopiedTable } from '../../copy/copied-table.ts'
import type { CopySide, RowKey } from '../../copy/copy-side.ts'
import { type ConnectionUse, SqliteConnection } from '../connection/connection.ts'
import type { AcquiredFile } from '../open-sqlite.ts'
import { countRows } from '../schema/existing-tables.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'
import { toOpenError } from '../sqlite-failure.ts'

export class SqliteCopySide implements CopySide {
  readonly connection: SqliteConnection
  readonly #acquired: AcquiredFile

  constructor(acquired: AcquiredFile, use: ConnectionUse) {
    const { file, temporary } = acquired.databaseFile
    this.connection = new SqliteConnection({ file, temporary, use })
    this.#acquired = acquired
  }

  get displayName(): string {
    return this.#acquired.databaseFile.file
  }

  rows(table: CopiedTable, after: RowKey | undefined, limit: number): readonly CopiedRow[] {
    const sql = batchSql(sqliteDialect, table, after === undefined ? 'first' : 'after')
    return this.translateErrors(() => this.connection.rows({ sql, values: [...(after ?? []), limit] }))
  }

  count({ name }: CopiedTable): number {
    return this.translateErrors(() => countRows(this.connection, name))
  }

  /** Runs the work; throws errors of SQLite as StoreOpenError. */
  translateErrors<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw toOpenError(this.displayName, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.close()
    this.#acquired.release()
  }
}
