/** Lists as SQL: one statement for each range of rows after the cursor, joined by UNION ALL. */

import type { Condition, Operator } from '../condition.ts'
import type { Table } from '../schema/table-schema.ts'
import type { RowQuery } from '../store.ts'
import { alternativesSql, type ListRange } from './alternatives-sql.ts'
import { conditionSql } from './condition-sql.ts'
import { type KeysetRange, keysetRangeSql, keysetRangesAfter, orderSql } from './keyset-sql.ts'
import { type OrderTerm, orderTerms } from './order-sql.ts'
import { isFirstReferringSql } from './referring-sql.ts'
import { selectSql, widthOf } from './select-sql.ts'
import { knownColumn, limitSql, type SqlBuilder, type Statement, withDeadline } from './sql-text.ts'
import { withUnsavedRows } from './unsaved-rows-sql.ts'

export function listStatement(builder: SqlBuilder, table: Table, query: RowQuery): Statement {
  const { schema, dialect, values } = builder
  const terms = orderTerms(schema, table, query.order)
  const ranges = keysetRangesAfter(terms, query.after)
  const { sql } = withUnsavedRows(builder, query.unsaved, () => {
    const parts = ranges.map((keysetRange) =>
      rangeQuerySql(builder, { table, rowQuery: query, terms, keysetRange }),
    )
    return { sql: unionSql(builder, query, parts), values }
  })
  const { octets } = query
  if (octets === undefined || !dialect.limitOctets || ranges.length === 0) return { sql, values }
  values.push(octets)
  const bound = dialect.placeholder(values.length)
  return { sql: dialect.limitOctets(sql, widthOf(builder, table, query), bound), values }
}

export interface RangeQuery {
  readonly table: Table
  readonly rowQuery: RowQuery
  readonly terms: readonly OrderTerm[]
  readonly keysetRange: KeysetRange
}

export function rangeQuerySql(
  builder: SqlBuilder,
  { table, rowQuery: query, terms: order, keysetRange }: RangeQuery,
): string {
  const selection = selectSql(builder, table, query)
  const alternatives = alternativesSql(builder, { table, query, keysetRange })
  const terms =
    alternatives === undefined ? rangeTerms(builder, { table, query, keysetRange }) : [alternatives]
  const where = terms.length === 0 ? '' : ` where ${terms.join(' and ')}`
  const ordered = orderSql(builder, order, keysetRange.equal.length)
  return `${selection}${where} order by ${ordered} limit ${limitSql(builder, query.limit)}`
}

export function rangeTerms(builder: SqlBuilder, { table, query, keysetRange }: ListRange): readonly string[] {
  return [
    ...deadlineOf(builder, table, query),
    ...conditionTerms(builder, table, query),
    ...keysetRangeSql(builder, keysetRange),
  ]
}

export function conditionTerms(
  builder: SqlBuilder,
  table: Table,
  { condition, firstReferring }: RowQuery,
): string[] {
  if (firstReferring) return [isFirstReferringSql(builder, table, firstReferring, condition)]
  return condition.kind === 'always' ? [] : [conditionSql(builder, table, condition)]
}

/** No deadline where the rows are one range of an index, in its order. */
export function deadlineOf(builder: SqlBuilder, table: Table, query: RowQuery) {
  return isSingleIndexRange(table, query) ? [] : withDeadline(builder, [])
}

/** Whether the rows are one range of an index, in its order. Indexes end in the id, which must break ties in the same direction. */
function isSingleIndexRange(table: Table, { condition, order, firstReferring }: RowQuery): boolean {
  const [first, second, third] = order
  if (!first || first.through || first.derived || third || firstReferring) return false
  const { column } = first
  const alone = !second && (column === table.idColumn || knownColumn(table, column).unique)
  const tied = second?.column === table.idColumn && second.descending === first.descending
  const indexed = table.indexes.some((names) => names.length === 1 && names[0] === column)
  return (alone || (tied && indexed)) && isRangeOf(condition, column)
}

/** Whether the condition only limits the range of the column. */
function isRangeOf(condition: Condition, column: string): boolean {
  if (condition.kind === 'always') return true
  if (condition.kind === 'all') return condition.of.every((one) => isRangeOf(one, column))
  if (condition.kind !== 'compare' || condition.path.length > 1) return false
  return condition.path[0] === column && rangeOperators.has(condition.operator)
}

const rangeOperators: ReadonlySet<Operator> = new Set(['eq', 'lt', 'lte', 'gt', 'gte'])

/** UNION ALL runs its parts in turn and stops when the limit is reached. */
export function unionSql(builder: SqlBuilder, { limit }: RowQuery, parts: readonly string[]): string {
  const [first] = parts
  if (first === undefined) return 'select 1 where false'
  if (parts.length === 1) return first
  const union = parts.map((part) => `select * from (${part}) b`).join(' union all ')
  return `${union} limit ${limitSql(builder, limit)}`
}
