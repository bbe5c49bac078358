/** The context in which the steps for one table are planned, and queries on the table's rows. */

import { PUBLIC_VERSION } from '../../../definition/model.ts'
import type { Row } from '../../row.ts'
import { formatRows, type MigrationStep, maxNamedRows } from '../../schema/migration-plan.ts'
import type { TableContext } from '../../schema/planned-table.ts'
import type { Narrowing } from '../../schema/stored-limits.ts'
import type { ColumnPair } from '../../schema/table-matching.ts'
import type { Column } from '../../schema/table-schema.ts'
import { quoted } from '../../sql/sql-text.ts'
import type { PostgresConnection } from '../connection/connection.ts'
import type { PostgresColumn, PostgresTable } from './existing-tables.ts'
import { locks } from './migration-locks.ts'
import { addReferenceSql } from './table-sql.ts'

export type PostgresColumnPair = ColumnPair<PostgresColumn>
export type PostgresTableContext = TableContext<PostgresConnection, PostgresTable>

/** Properties that most steps share. */
export const change = {
  effect: 'changes',
  obstacle: undefined,
  loss: undefined,
  lock: locks.brief,
  rows: 0,
} as const

/** Returns the step that adds the reference of a new column; none for a column without one. */
export function newReference({ table }: PostgresTableContext, column: Column): MigrationStep[] {
  const target = column.references?.table
  if (target === undefined) return []
  const line = `let ${table.name}.${column.name} refer to ${target}`
  const sql = [addReferenceSql(table, column, target)]
  return [{ ...change, effect: 'adds', lock: locks.reference, line, sql }]
}

/** Counts the rows that match the SQL condition. */
export async function countRows({ connection, now }: PostgresTableContext, where: string): Promise<number> {
  const [row] = await connection.run(`select count(*) from ${quoted(now.name)} where ${where}`)
  return Number(row?.[0])
}

/** Formats the rows that match the SQL condition: `3 rows have (id1, id2, id3)`. */
export async function namedRows(context: PostgresTableContext, where: string): Promise<string> {
  const { connection, now } = context
  const found = await connection.run(
    `select "_identity" from ${quoted(now.name)} where ${where} order by 1 limit ${maxNamedRows}`,
  )
  return formatRows(await countRows(context, where), found.map(identityOf))
}

function identityOf([identity]: Row): string {
  return String(identity)
}

const batchSize = 1000

/** Passes the value of the SQL expression for each row that matches the condition to `against.check`. */
export async function checkRows(
  { connection, now }: PostgresTableContext,
  { expression, where }: { readonly expression: string; readonly where: string },
  against: Pick<Narrowing, 'check'>,
): Promise<void> {
  const sql = `select "_identity", ${expression} from ${quoted(now.name)} where "_identity" > $1 and ${where} order by "_identity" limit ${batchSize}`
  let last = ''
  for (;;) {
    const rows = await connection.rows({ sql, values: [last] })
    for (const [identity, stored = null] of rows) against.check(String(identity), stored)
    last = String(rows.at(-1)?.[0] ?? '')
    if (rows.length < batchSize) return
  }
}

/** Assignments that give a row whose values change another version, so that its entity tags change. */
export function nextVersionSql({ columns }: PostgresTable): string {
  const names = ['_version', PUBLIC_VERSION].filter((name) => columns.has(name))
  return names.map((name) => `${quoted(name)} = ${quoted(name)} + 1`).join(', ')
}
