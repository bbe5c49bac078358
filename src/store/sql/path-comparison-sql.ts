/** Comparisons of the value at the end of a path: one EXISTS for each reference, so that a missing one makes it false. */

import type { Comparison } from '../condition.ts'
import type { ColumnComparison } from './comparison-sql.ts'
import { ownColumnSql, type RowScope, referredScope } from './row-scope.ts'
import { knownColumn, quoted, type SqlBuilder } from './sql-text.ts'

export function comparisonSql(builder: SqlBuilder, scope: RowScope, comparison: Comparison): string {
  if (comparison.operator !== 'missing' || comparison.path.length < 2) {
    return pathComparisonSql(builder, scope, comparison)
  }
  return `(not ${pathComparisonSql(builder, scope, { ...comparison, operator: 'present' })})`
}

export function pathComparisonSql(
  builder: SqlBuilder,
  scope: RowScope,
  comparison: ColumnComparison,
): string {
  const [name, ...rest] = comparison.path
  const column = knownColumn(scope.table, name ?? '')
  const columnSql = `${scope.row}.${quoted(column.name)}`
  if (rest.length === 0) return ownColumnSql(builder, scope, column, comparison)
  const referred = referredScope(builder, scope, column)
  const { row } = referred
  const inner = pathComparisonSql(builder, referred, { ...comparison, path: rest })
  const target = `${quoted(referred.table.name)} ${row}`
  return `exists (select 1 from ${target} where ${row}."_identity" = ${columnSql} and ${inner})`
}
