/** What both ends of a copy do that are SQLite files: held for as long as it lasts, read by batches. */

import { batchSql, type CopiedRow, type CopiedTable } from '../../copy/copied-table.ts'
import type { CopyEnd, RowKey } from '../../copy/copy-end.ts'
import { type ConnectionUse, SqliteConnection } from '../connection/connection.ts'
import type { AcquiredFile } from '../open-sqlite.ts'
import { countRows } from '../schema/existing-tables.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'
import { toOpenError } from '../sqlite-failure.ts'

export class SqliteEnd implements CopyEnd {
  readonly connection: SqliteConnection
  readonly #held: AcquiredFile

  constructor(held: AcquiredFile, use: ConnectionUse) {
    const { file, temporary } = held.place
    this.connection = new SqliteConnection({ file, temporary, use })
    this.#held = held
  }

  get displayName(): string {
    return this.#held.place.file
  }

  rows(table: CopiedTable, after: RowKey | undefined, limit: number): readonly CopiedRow[] {
    const sql = batchSql(sqliteDialect, table, after === undefined ? 'first' : 'after')
    return this.told(() => this.connection.rows({ sql, values: [...(after ?? []), limit] }))
  }

  count({ name }: CopiedTable): number {
    return this.told(() => countRows(this.connection, name))
  }

  /** What SQLite says when it fails, as what it means to the operator. */
  told<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw toOpenError(this.displayName, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.close()
    this.#held.release()
  }
}
