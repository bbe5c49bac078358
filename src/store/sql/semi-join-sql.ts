/** Rows whose path leads to one of some values, which a subquery selects: an index leads from each value to its rows. */

import { type RowScope, referredScope } from './row-scope.ts'
import { knownColumn, quoted, type SqlBuilder, withDeadline } from './sql-text.ts'

/** Whether the value at the end of the path is among the selected values. */
export function semiJoinSql(
  builder: SqlBuilder,
  scope: RowScope,
  path: readonly string[],
  values: (depth: number) => string,
): string {
  const column = knownColumn(scope.table, path[0] ?? '')
  const columnSql = `${scope.row}.${quoted(column.name)}`
  return builder.dialect.inSubquery(columnSql, firstValuesSql(builder, scope, path, values))
}

/** The values of the first column of the path from which it leads to the selected values. */
export function firstValuesSql(
  builder: SqlBuilder,
  scope: RowScope,
  [name = '', ...rest]: readonly string[],
  values: (depth: number) => string,
): string {
  if (rest.length === 0) return values(scope.depth + 1)
  const next = referredScope(builder, scope, knownColumn(scope.table, name))
  const { row } = next
  const where = withDeadline(builder, [semiJoinSql(builder, next, rest, values)]).join(' and ')
  return `select ${row}."_identity" from ${quoted(next.table.name)} ${row} where ${where}`
}
