/** Positions on the paths of conditions, the values at the end of paths, and comparisons of a column. */

import type { Condition, EqualColumns } from '../condition.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { isIndexed, type LeafCondition, leafSql } from './comparison-sql.ts'
import { referredTable } from './selective-condition.ts'
import { knownColumn, quoted, type SqlBuilder } from './sql-text.ts'

/** A position on a path: a table, the alias of its row, and how many subqueries surround it. */
export interface Step {
  readonly table: Table
  readonly row: string
  readonly depth: number
  readonly purpose: 'select' | 'check-row'
  /** A condition beside this one that drives the query by an index. */
  readonly driving?: Condition | undefined
}

/** The value at the end of the path, with aliases from the depth on; null where it is missing. */
export function valueSql(
  builder: SqlBuilder,
  step: Step,
  [name = '', ...rest]: readonly string[],
  depth: number,
): string {
  const column = knownColumn(step.table, name)
  const columnSql = `${step.row}.${quoted(column.name)}`
  if (rest.length === 0) return columnSql
  const row = alias(depth)
  const next = { ...nextStep(builder, step, column), row, depth }
  const value = valueSql(builder, next, rest, depth + 1)
  const target = `${quoted(next.table.name)} ${row}`
  return `(select ${value} from ${target} where ${row}."_identity" = ${columnSql})`
}

/** The row that the column refers to. */
export function nextStep(builder: SqlBuilder, step: Step, column: Column): Step {
  const depth = step.depth + 1
  const table = referredTable(builder, step.table, column)
  return { ...step, table, row: alias(depth), depth, driving: undefined }
}

/** The alias of the row in a subquery at this depth. */
export function alias(depth: number): string {
  return `r${depth}`
}

/** Whether the values at the two paths are equal. */
export function equalColumnsSql(builder: SqlBuilder, step: Step, { paths }: EqualColumns): string {
  return paths.map((path) => valueSql(builder, step, path, step.depth + 1)).join(' = ')
}

/** The comparison of a column of the step's row. Beside a condition that drives the query, no index of the column alone is used. */
export function ownColumnSql(builder: SqlBuilder, step: Step, column: Column, leaf: LeafCondition): string {
  const { table, driving } = step
  const { dialect } = builder
  const columnSql = `${step.row}.${quoted(column.name)}`
  if (!driving || column.unique || !isIndexed(table, column.name)) {
    return leafSql(builder, { table, column, columnSql }, leaf)
  }
  if (leaf.operator !== 'eq' && leaf.operator !== 'in') {
    return leafSql(builder, { table, column, columnSql: dialect.withoutIndex(columnSql) }, leaf)
  }
  return dialect.expectMany(leafSql(builder, { table, column, columnSql }, leaf))
}
