/** Rows whose path leads to one of some values, which a subquery selects: an index leads from each value to its rows. */

import { nextStep, type Step } from './condition-step.ts'
import { knownColumn, quoted, type SqlBuilder, withDeadline } from './sql-text.ts'

/** Whether the value at the end of the path is among the selected values. */
export function semiJoinSql(
  builder: SqlBuilder,
  step: Step,
  path: readonly string[],
  values: (depth: number) => string,
): string {
  const column = knownColumn(step.table, path[0] ?? '')
  const columnSql = `${step.row}.${quoted(column.name)}`
  return builder.dialect.inSubquery(columnSql, firstValuesSql(builder, step, path, values))
}

/** The values of the first column of the path from which it leads to the selected values. */
export function firstValuesSql(
  builder: SqlBuilder,
  step: Step,
  [name = '', ...rest]: readonly string[],
  values: (depth: number) => string,
): string {
  if (rest.length === 0) return values(step.depth + 1)
  const next = nextStep(builder, step, knownColumn(step.table, name))
  const { row } = next
  const where = withDeadline(builder, [semiJoinSql(builder, next, rest, values)]).join(' and ')
  return `select ${row}."_identity" from ${quoted(next.table.name)} ${row} where ${where}`
}
