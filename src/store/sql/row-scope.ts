/** Positions on the paths of conditions, the values at the end of paths, and comparisons of a column. */

import type { Condition, EqualColumns } from '../condition.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { type ColumnComparison, columnComparisonSql, isIndexed } from './comparison-sql.ts'
import { referredTable } from './selective-condition.ts'
import { knownColumn, quoted, type SqlBuilder } from './sql-text.ts'

/** A position on a path: a table, the alias of its row, and how many subqueries surround it. */
export interface RowScope {
  readonly table: Table
  readonly row: string
  readonly depth: number
  readonly mode: 'select' | 'check-row'
  /** A condition beside this one that drives the query by an index. */
  readonly driving?: Condition | undefined
}

/** The value at the end of the path, with aliases from the depth on; null where it is missing. */
export function pathValueSql(
  builder: SqlBuilder,
  scope: RowScope,
  [name = '', ...rest]: readonly string[],
  depth: number,
): string {
  const column = knownColumn(scope.table, name)
  const columnSql = `${scope.row}.${quoted(column.name)}`
  if (rest.length === 0) return columnSql
  const row = alias(depth)
  const next = { ...referredScope(builder, scope, column), row, depth }
  const value = pathValueSql(builder, next, rest, depth + 1)
  const target = `${quoted(next.table.name)} ${row}`
  return `(select ${value} from ${target} where ${row}."_identity" = ${columnSql})`
}

/** The row that the column refers to. */
export function referredScope(builder: SqlBuilder, scope: RowScope, column: Column): RowScope {
  const depth = scope.depth + 1
  const table = referredTable(builder, scope.table, column)
  return { ...scope, table, row: alias(depth), depth, driving: undefined }
}

/** The alias of the row in a subquery at this depth. */
export function alias(depth: number): string {
  return `r${depth}`
}

/** Whether the values at the two paths are equal. */
export function equalColumnsSql(builder: SqlBuilder, scope: RowScope, { paths }: EqualColumns): string {
  return paths.map((path) => pathValueSql(builder, scope, path, scope.depth + 1)).join(' = ')
}

/** The comparison of a column of the step's row. Beside a condition that drives the query, no index of the column alone is used. */
export function ownColumnSql(
  builder: SqlBuilder,
  scope: RowScope,
  column: Column,
  leaf: ColumnComparison,
): string {
  const { table, driving } = scope
  const { dialect } = builder
  const columnSql = `${scope.row}.${quoted(column.name)}`
  if (!driving || column.unique || !isIndexed(table, column.name)) {
    return columnComparisonSql(builder, { table, column, columnSql }, leaf)
  }
  if (leaf.operator !== 'eq' && leaf.operator !== 'in') {
    return columnComparisonSql(builder, { table, column, columnSql: dialect.withoutIndex(columnSql) }, leaf)
  }
  return dialect.expectMany(columnComparisonSql(builder, { table, column, columnSql }, leaf))
}
