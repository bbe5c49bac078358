/** A SQLite file at either side of a copy, and in a backup: read in batches. */

import { batchSql, type CopiedRow, type CopiedTable } from '../../copy/copied-table.ts'
import type { CopySide, RowKey } from '../../copy/copy-interfaces.ts'
import { type ConnectionUse, SqliteConnection } from '../connection/connection.ts'
import type { AcquiredFile } from '../open-sqlite.ts'
import { countRows } from '../schema/existing-tables.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'
import { toOpenError } from '../sqlite-failure.ts'

export interface OpenedFile {
  readonly connection: SqliteConnection
  /** The path of the file. */
  readonly displayName: string
  release(): void
}

/** Opens a file that is locked until it is released. */
export function openAcquired({ databaseFile, release }: AcquiredFile, use: ConnectionUse): OpenedFile {
  const { file, temporary } = databaseFile
  return { connection: new SqliteConnection({ file, temporary, use }), displayName: file, release }
}

export class SqliteCopySide implements CopySide {
  readonly connection: SqliteConnection
  readonly displayName: string
  readonly #release: () => void

  constructor({ connection, displayName, release }: OpenedFile) {
    this.connection = connection
    this.displayName = displayName
    this.#release = release
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
    this.#release()
  }
}
