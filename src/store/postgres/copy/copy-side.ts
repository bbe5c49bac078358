/** The common part of origin and destination of a copy: one connection without a timeout, read in batches. */

import { batchSql, type CopiedRow, type CopiedTable } from '../../copy/copied-table.ts'
import type { CopySide, RowKey } from '../../copy/copy-interfaces.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import { type PostgresDatabaseUrl, parsePostgresUrl } from '../connection/database-url.ts'
import { postgresDialect } from '../postgres-dialect.ts'
import { toOpenError } from '../postgres-failure.ts'
import { connectWithoutTimeout } from '../schema/migrate-database.ts'

export class PostgresCopySide implements CopySide {
  readonly connection: PostgresConnection
  readonly location: PostgresDatabaseUrl

  constructor(connection: PostgresConnection, location: PostgresDatabaseUrl) {
    this.connection = connection
    this.location = location
  }

  get displayName(): string {
    return this.location.displayUrl
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

/** Opens a side of a copy, and closes it if `prepare` rejects. */
export async function openCopySide<Side extends PostgresCopySide>(
  url: string,
  create: (connection: PostgresConnection, location: PostgresDatabaseUrl) => Side,
  prepare: (side: Side) => Promise<void>,
): Promise<Side> {
  const location = parsePostgresUrl(url)
  try {
    const side = create(await connectWithoutTimeout(location), location)
    try {
      // The other side may need longer for a batch than the idle timeout of a node.
      await side.connection.run('set idle_in_transaction_session_timeout = 0')
      await prepare(side)
      return side
    } catch (error) {
      await side[Symbol.asyncDispose]()
      throw error
    }
  } catch (error) {
    throw toOpenError(location.displayUrl, error)
  }
}
