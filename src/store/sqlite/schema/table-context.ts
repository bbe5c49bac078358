/** What the plan for one table of a SQLite file needs: its context, its kinds of change, its rows. */

import type { Stored } from '../../../definition/model.ts'
import type { MigrationStep } from '../../schema/migration-plan.ts'
import type { Narrowing } from '../../schema/stored-limits.ts'
import type { TableContext } from '../../schema/table-context.ts'
import type { ColumnPair } from '../../schema/table-matching.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { countRows, type SqliteColumn, type SqliteTable } from './existing-tables.ts'

export type SqliteColumnPair = ColumnPair<SqliteColumn>
export type SqliteTableContext = TableContext<SqliteConnection, SqliteTable>

export interface TableChange extends MigrationStep {
  /** SQLite cannot change the table in place. */
  readonly rebuild: boolean
}

/** SQLite has one writer at a time; readers see the former state until the commit. */
export const briefLock = 'writers wait for a moment'

/** A change that needs a rebuild, which has the lock. */
export const change = {
  effect: 'changes',
  obstacle: undefined,
  loss: undefined,
  lock: undefined,
  rows: 0,
  sql: [],
  rebuild: true,
} as const

/** How many rows of the table the SQL condition is true for. */
export function countMatching({ connection, now }: SqliteTableContext, where: string): number {
  return countRows(connection, now.name, where)
}

/** Checks each row of a statement that selects an identity and a value. */
export function checkRows(
  connection: SqliteConnection,
  sql: string,
  against: Pick<Narrowing, 'check'>,
): void {
  for (const row of connection.database.prepare(sql).iterate()) {
    // The connection returns rows as arrays.
    const [identity, stored] = row as unknown as [string, Stored]
    against.check(identity, stored)
  }
}
