/** The SQL that clears the references to deleted rows, and the versions that the rows get by that. */

import { PUBLIC_UPDATED_AT, PUBLIC_VERSION } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { ROW } from './condition-sql.ts'
import { bindRaw, quoted, type SqlBuilder, type Statement } from './sql-text.ts'
import { createBuilder, elementsOf, type RowSelection, rowsSql, type WriteStatements } from './write-sql.ts'

/** Clears the references of the rows; each row changes once. */
export function clearStatement(
  statements: WriteStatements,
  rows: readonly [RowSelection, ...RowSelection[]],
  at: string,
): Statement {
  const builder = createBuilder(statements)
  const sets = rows.map((row) => `${quoted(row.column.name)} = ${clearedValueSql(builder, row)}`)
  const { table } = rows[0]
  const stamps = stampedColumns(table).map(
    (column) => `${quoted(column.name)} = ${stampSql(builder, rows, column, at)}`,
  )
  const set = [...sets, ...stamps].join(', ')
  const sql = `update ${quoted(table.name)} as ${ROW} set ${set} where ${rowsSql(builder, rows)}`
  return { sql, values: builder.values }
}

const publicStamps: readonly string[] = [PUBLIC_VERSION, PUBLIC_UPDATED_AT]
const stampNames: readonly string[] = ['_version', 'updatedAt', ...publicStamps]

/** The columns of the table that tell which change of a row was the last. */
export const stampedColumns = memoizeByObject(({ columns }: Table): readonly Column[] =>
  columns.filter(({ name }) => stampNames.includes(name)),
)

/** The value of a stamped column after the references are cleared. A restricted one is no public change. */
export function stampSql(
  builder: SqlBuilder,
  rows: readonly RowSelection[],
  { name, type }: Column,
  at: string,
): string {
  const present = `${ROW}.${quoted(name)}`
  const stamp = () => (type === 'integer' ? `${present} + 1` : typedText(builder, at))
  const seen = rows.filter(({ column }) => !column.restricted)
  if (!publicStamps.includes(name) || seen.length === rows.length) return stamp()
  if (seen.length === 0) return present
  return `case when ${rowsSql(builder, seen)} then ${stamp()} else ${present} end`
}

/** PostgreSQL cannot infer the type of a parameter that is only selected. */
export function typedText(builder: SqlBuilder, value: string | null): string {
  return `cast(${bindRaw(builder, value)} as text)`
}

/** The value of the column after its reference is cleared. */
export function clearedValueSql(builder: SqlBuilder, { column, within }: RowSelection): string {
  const columnSql = `${ROW}.${quoted(column.name)}`
  if (column.elements) return builder.dialect.withoutElements(columnSql, elementsOf(builder, within))
  return `case when ${columnSql} in (${elementsOf(builder, within)}) then null else ${columnSql} end`
}
