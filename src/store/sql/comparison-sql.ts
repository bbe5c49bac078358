/** Translates the comparison of one column with values into SQL. */

import type { Stored } from '../../definition/model.ts'
import { caseVariants, prefixRanges } from '../case-folding.ts'
import type { Comparison, Operator } from '../condition.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import { bind, bindRaw, knownColumn, type SqlBuilder } from './sql-text.ts'

/** A comparison of the last column of its path. */
export type ColumnComparison = Omit<Comparison, 'operator'> & {
  readonly operator: Operator | 'present'
}

/** A column of the table, and the expression for its value. */
interface ComparedColumn {
  readonly table: Table
  readonly column: Column
  readonly columnSql: string
}

/** An expression that is true where the comparison is true, otherwise false or null. */
export function columnComparisonSql(
  builder: SqlBuilder,
  compared: ComparedColumn,
  comparison: ColumnComparison,
): string {
  const ranges = rangesSql(builder, compared, comparison)
  const { column, columnSql } = compared
  const own = valueComparisonSql(builder, column, columnSql, comparison)
  return ranges === undefined ? own : `(${ranges} and ${own})`
}

/** The same for any expression with values of the column's type. */
export function valueComparisonSql(
  builder: SqlBuilder,
  column: Column,
  columnSql: string,
  { operator, values }: Pick<ColumnComparison, 'operator' | 'values'>,
): string {
  return operators[operator](builder, column, columnSql, values)
}

/** Whether an index begins with the column. */
export function isIndexed(table: Table, name: string): boolean {
  const { unique, references } = knownColumn(table, name)
  const begins = ([first]: readonly string[]) => first === name
  const isColumnIndexed = unique || references !== undefined
  return isColumnIndexed || table.indexes.some(begins) || table.uniqueSets.some(begins)
}

/** How many values of an `in` have a parameter each. */
const maxListedValues = 10

type OperatorSql = (
  builder: SqlBuilder,
  column: Column,
  columnSql: string,
  values: readonly Exclude<Stored, null>[],
) => string

const operators: Readonly<Record<ColumnComparison['operator'], OperatorSql>> = {
  eq: comparedBy('='),
  ne: comparedBy('<>'),
  lt: comparedBy('<'),
  lte: comparedBy('<='),
  gt: comparedBy('>'),
  gte: comparedBy('>='),
  in(builder, column, columnSql, values) {
    if (values.length === 0) return 'false'
    // One parameter for many values, so that the statement text does not depend on their number.
    if (values.length > maxListedValues && column.type === 'text') {
      const list = bindRaw(builder, JSON.stringify(values))
      return `${columnSql} in (${builder.dialect.jsonElements(list)})`
    }
    return `${columnSql} in (${values.map((value) => bind(builder, column, value)).join(', ')})`
  },
  contains: (builder, _column, columnSql, values) => patternSql(builder, columnSql, only(values), 'anywhere'),
  starts: (builder, _column, columnSql, values) => patternSql(builder, columnSql, only(values), 'start'),
  has: (builder, _column, columnSql, values) =>
    builder.dialect.hasElement(columnSql, bindRaw(builder, only(values))),
  missing: (_builder, { elements }, columnSql) => (elements ? `${columnSql} = '[]'` : `${columnSql} is null`),
  present: (_builder, { elements }, columnSql) =>
    elements ? `${columnSql} <> '[]'` : `${columnSql} is not null`,
}

function patternSql(builder: SqlBuilder, columnSql: string, value: Stored, at: 'start' | 'anywhere'): string {
  const pattern = builder.dialect.pattern(caseVariants(String(value)), at)
  return builder.dialect.matches(columnSql, bindRaw(builder, pattern))
}

/** Index ranges for a prefix in any letter case; undefined where no index serves them. */
function rangesSql(
  builder: SqlBuilder,
  { table, column, columnSql }: ComparedColumn,
  comparison: ColumnComparison,
): string | undefined {
  if (comparison.operator !== 'starts' || !isIndexed(table, column.name)) return undefined
  const ranges = prefixRanges(caseVariants(String(only(comparison.values)))).map(([from, below]) => {
    const lower = `${columnSql} >= ${bind(builder, column, from)}`
    return below === undefined ? lower : `${lower} and ${columnSql} < ${bind(builder, column, below)}`
  })
  return ranges.length === 0 ? undefined : `(${ranges.join(' or ')})`
}

function comparedBy(operator: string): OperatorSql {
  return (builder, column, columnSql, values) =>
    `${columnSql} ${operator} ${bind(builder, column, only(values))}`
}

function only(values: readonly Exclude<Stored, null>[]): Exclude<Stored, null> {
  const [value] = values
  if (value === undefined || values.length !== 1) throw new Error('A comparison takes one value')
  return value
}
