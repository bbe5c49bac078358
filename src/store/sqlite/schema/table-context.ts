/** A table of the definition beside the one that is there: what its changes are planned from. */

import type { Stored } from '../../../definition/model.ts'
import type { MigrationStep } from '../../schema/migration-plan.ts'
import type { OwnedTable } from '../../schema/ownership.ts'
import type { ColumnPair as AnyPair } from '../../schema/present-tables.ts'
import type { Narrowing, StoredLimits } from '../../schema/stored-limits.ts'
import type { Table } from '../../schema/table-schema.ts'
import type { SqliteConnection } from '../connection/connection.ts'
import { countRows, type SqliteColumn, type SqliteTable } from './existing-tables.ts'

export type SqliteTablePair = AnyPair<SqliteColumn>

export interface TableChange extends MigrationStep {
  /** SQLite cannot do it in place. */
  readonly rebuild: boolean
}

export interface SqliteTableContext {
  readonly connection: SqliteConnection
  readonly table: Table
  readonly now: SqliteTable
  /** What tables that are there will be called. */
  readonly names: ReadonlyMap<string, string>
  /** What the rows were last held against. */
  readonly limits: StoredLimits
  /** What Restwell has made of it. */
  readonly owned: OwnedTable
}

/** SQLite has one writer at a time; readers see what was before until it is done. */
export const briefLock = 'writers wait for a moment'

/** What is changed by the rebuilding has its lock there. */
export const change = {
  effect: 'changes',
  obstacle: undefined,
  loss: undefined,
  lock: undefined,
  rows: 0,
  sql: [],
  rebuild: true,
} as const

export function placeOf(
  { table }: SqliteTableContext,
  { name }: { readonly name: string },
): string {
  return `${table.name}.${name}`
}

/** How many rows of the table the condition holds for. */
export function countMatching({ connection, now }: SqliteTableContext, where: string): number {
  return countRows(connection, now.name, where)
}

/** Shows the rows of a statement, each an identity and a value. */
export function checkRows(
  connection: SqliteConnection,
  sql: string,
  against: Pick<Narrowing, 'check'>,
): void {
  for (const row of connection.database.prepare(sql).iterate()) {
    // The connection gives rows as arrays.
    const [identity, stored] = row as unknown as [string, Stored]
    against.check(identity, stored)
  }
}
