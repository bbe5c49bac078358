/** What both ends of a copy do that are SQLite files: held for as long as it lasts, read by batches. */

import { batchSql, type CopiedRow, type CopiedTable } from '../copy/copied-table.ts'
import type { CopyEnd, Key } from '../copy/copy-end.ts'
import { Connection, type Use } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { countRows } from './existing.ts'
import { faultAt } from './failure.ts'
import type { HeldFile } from './open.ts'

export class SqliteEnd implements CopyEnd {
  readonly connection: Connection
  readonly #held: HeldFile

  constructor(held: HeldFile, use: Use) {
    const { file, temporary } = held.place
    this.connection = new Connection({ file, temporary, use })
    this.#held = held
  }

  get shown(): string {
    return this.#held.place.file
  }

  rows(table: CopiedTable, after: Key | undefined, limit: number): readonly CopiedRow[] {
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
      throw faultAt(this.shown, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.close()
    this.#held.release()
  }
}
