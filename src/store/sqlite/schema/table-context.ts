/** The context and the steps of the plan for one table of a SQLite file, and checks of its rows. */

import type { MigrationStep } from '../../schema/migration-plan.ts'
import type { TableContext } from '../../schema/planned-table.ts'
import type { Narrowing } from '../../schema/stored-limits.ts'
import type { ColumnPair } from '../../schema/table-matching.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { countRows, type SqliteColumn, type SqliteTable } from './existing-tables.ts'

export type SqliteColumnPair = ColumnPair<SqliteColumn>
export type SqliteTableContext = TableContext<SqliteConnection, SqliteTable>

export interface TableChange extends MigrationStep {
  /** Whether the change needs a rebuild, because SQLite cannot make it in place. */
  readonly rebuild: boolean
}

/** SQLite has one writer at a time; readers read the former state until the commit. */
export const briefLock = 'writers wait for a moment'
export const indexLock = 'the table is read while writers wait'

/** A change that needs a rebuild. The step of the rebuild has the lock. */
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
  for (const [identity, stored = null] of connection.prepare(sql).iterate()) {
    against.check(String(identity), stored)
  }
}
