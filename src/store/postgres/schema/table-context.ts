/** A table of the definition beside the one that is there: what its changes are planned from. */

import type { MigrationStep } from '../../schema/migration-plan.ts'
import type { OwnedTable } from '../../schema/ownership.ts'
import type { ColumnPair as AnyPair } from '../../schema/present-tables.ts'
import type { StoredLimits } from '../../schema/stored-limits.ts'
import type { Column, Table } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { PostgresColumn, PostgresTable } from './existing-tables.ts'
import { locks } from './migration-locks.ts'
import { addReferenceSql } from './table-sql.ts'

export type PostgresTablePair = AnyPair<PostgresColumn>

export interface PostgresTableContext {
  readonly connection: PostgresConnection
  readonly table: Table
  readonly now: PostgresTable
  /** What tables that are there will be called. */
  readonly names: ReadonlyMap<string, string>
  /** What the rows were last held against. */
  readonly limits: StoredLimits
  /** What Restwell has made of it. */
  readonly owned: OwnedTable
}

export function placeOf(
  { table }: PostgresTableContext,
  { name }: { readonly name: string },
): string {
  return `${table.name}.${name}`
}

/** A step that a start does not take, as far as all have it alike. */
export const change = {
  effect: 'changes',
  obstacle: undefined,
  loss: undefined,
  lock: locks.moment,
  rows: 0,
} as const

/** The reference of a column that is new. */
export function newReference({ table }: PostgresTableContext, column: Column): MigrationStep[] {
  const target = column.references?.table
  if (target === undefined) return []
  const line = `let ${table.name}.${column.name} refer to ${target}`
  const sql = [addReferenceSql(table, column, target)]
  return [{ ...change, effect: 'adds', lock: locks.reference, line, sql }]
}

/** How many rows an obstacle names. */
const maxNamedRows = 5

export async function countRows(
  { connection, now }: PostgresTableContext,
  where: string,
): Promise<number> {
  const [row] = await connection.run(`select count(*) from ${quoted(now.name)} where ${where}`)
  return Number(row?.[0])
}

/** `3 rows have (id1, id2, id3)`: the first of them by name. */
export async function namedRows(context: PostgresTableContext, where: string): Promise<string> {
  const { connection, now } = context
  const count = await countRows(context, where)
  const found = await connection.run(
    `select "_identity" from ${quoted(now.name)} where ${where} order by 1 limit ${maxNamedRows}`,
  )
  const names = found.map(([identity]) => String(identity)).join(', ')
  const more = count > maxNamedRows ? ', …' : ''
  return `${count === 1 ? '1 row has' : `${count} rows have`} (${names}${more})`
}
