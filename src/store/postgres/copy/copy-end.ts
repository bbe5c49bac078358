/** The common part of origin and destination of a copy: one connection without a timeout, read in batches. */

import { batchSql, type CopiedRow, type CopiedTable } from '../../copy/copied-table.ts'
import type { CopyEnd, RowKey } from '../../copy/copy-end.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { type PostgresLocation, parsePostgresUrl } from '../connection/location.ts'
import { postgresDialect } from '../postgres-dialect.ts'
import { toOpenError } from '../postgres-failure.ts'
import { connectWithoutTimeout } from '../schema/migrate-database.ts'

export class PostgresEnd implements CopyEnd {
  readonly connection: PostgresConnection
  readonly location: PostgresLocation

  constructor(connection: PostgresConnection, location: PostgresLocation) {
    this.connection = connection
    this.location = location
  }

  get displayName(): string {
    return this.location.shown
  }

  rows(table: CopiedTable, after: RowKey | undefined, limit: number): Promise<readonly CopiedRow[]> {
    const sql = batchSql(postgresDialect, table, after === undefined ? 'first' : 'after')
    return this.translateErrors(() => this.connection.rows({ sql, values: [...(after ?? []), limit] }))
  }

  count({ name }: CopiedTable): Promise<number> {
    return this.number(`select count(*) from ${quoted(name)}`)
  }

  async number(sql: string): Promise<number> {
    const [row] = await this.translateErrors(() => this.connection.run(sql))
    return Number(row?.[0])
  }

  /** Rejects with a StoreOpenError for the operator instead of PostgreSQL's error. */
  async translateErrors<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw toOpenError(this.displayName, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection.close()
  }
}

/** Opens an end of a copy, and closes it if `prepare` rejects. */
export async function openEnd<End extends PostgresEnd>(
  url: string,
  create: (connection: PostgresConnection, location: PostgresLocation) => End,
  prepare: (end: End) => Promise<void>,
): Promise<End> {
  const location = parsePostgresUrl(url)
  try {
    const end = create(await connectWithoutTimeout(location), location)
    try {
      // The other end may need longer for a batch than the idle timeout of a node.
      await end.connection.run('set idle_in_transaction_session_timeout = 0')
      await prepare(end)
      return end
    } catch (error) {
      await end[Symbol.asyncDispose]()
      throw error
    }
  } catch (error) {
    throw toOpenError(location.shown, error)
  }
}
