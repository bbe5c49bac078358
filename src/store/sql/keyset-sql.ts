/**
 * Keyset pagination: the rows after a position in a total order, at the same cost for every page.
 * These are the rows equal in all but the last column and beyond it there, then those equal in all
 * but the last two, and so on. Each of these branches is one range of an index.
 */

import type { Stored } from '../../definition/model.ts'
import type { OrderTerm } from './order-sql.ts'
import { bind, type SqlBuilder } from './sql-text.ts'

/** One range of rows: equal in the first columns, beyond the position in the next. */
export interface KeysetRange {
  readonly equal: readonly Bound[]
  /** Undefined for a list from its beginning. */
  readonly beyond: Beyond | undefined
}

interface Bound extends OrderTerm {
  readonly value: Stored
}

type Beyond =
  | { readonly test: '>' | '<'; readonly bounds: readonly Bound[] }
  | { readonly test: 'is null' | 'is not null'; readonly columnSql: string }

/** The ranges after the position, in order; none where no row can follow. */
export function keysetRangesAfter(
  order: readonly OrderTerm[],
  after: readonly Stored[] | undefined,
): readonly KeysetRange[] {
  if (after === undefined) return [{ equal: [], beyond: undefined }]
  if (after.length !== order.length) throw new Error('A position has a value for each term')
  const bounds = order.map((term, at) => ({ ...term, value: after[at] ?? null }))
  const direction = oneDirection(bounds)
  if (direction !== undefined) return [{ equal: [], beyond: { test: direction, bounds } }]
  return bounds
    .map((bound, at) => beyondBound(bound).map((beyond) => ({ equal: bounds.slice(0, at), beyond })))
    .reverse()
    .flat()
}

/** Required columns in one direction are compared at once, as a row value. */
function oneDirection(bounds: readonly Bound[]): '>' | '<' | undefined {
  const descending = bounds[0]?.descending ?? false
  if (bounds.some((bound) => bound.descending !== descending)) return undefined
  if (!bounds.every(({ column }) => column.required)) return undefined
  return descending ? '<' : '>'
}

/** Missing values sort first ascending, so descending they are beyond every value. */
function beyondBound(bound: Bound): Beyond[] {
  const { column, columnSql, descending, value } = bound
  if (value === null) return descending ? [] : [{ columnSql, test: 'is not null' }]
  if (!descending) return [{ test: '>', bounds: [bound] }]
  const smaller: Beyond = { test: '<', bounds: [bound] }
  return column.required ? [smaller] : [smaller, { test: 'is null', columnSql }]
}

/** The terms of the range, to be joined by `and`. */
export function keysetRangeSql(builder: SqlBuilder, keysetRange: KeysetRange): string[] {
  const equal = keysetRange.equal.map(({ column, columnSql, value }) =>
    value === null ? `${columnSql} is null` : `${columnSql} = ${bind(builder, column, value)}`,
  )
  return keysetRange.beyond === undefined ? equal : [...equal, beyondSql(builder, keysetRange.beyond)]
}

function beyondSql(builder: SqlBuilder, beyond: Beyond): string {
  if ('columnSql' in beyond) return `${beyond.columnSql} ${beyond.test}`
  const columns = beyond.bounds.map(({ columnSql }) => columnSql).join(', ')
  const values = beyond.bounds.map(({ column, value }) => bind(builder, column, value)).join(', ')
  if (beyond.bounds.length === 1) return `${columns} ${beyond.test} ${values}`
  return `(${columns}) ${beyond.test} (${values})`
}

/** The ORDER BY terms of a branch, without those in which its rows are equal. */
export function orderSql(builder: SqlBuilder, order: readonly OrderTerm[], from: number): string {
  return order
    .slice(from)
    .map(({ column, columnSql, descending }) =>
      builder.dialect.orderTerm(columnSql, descending ? 'desc' : 'asc', column),
    )
    .join(', ')
}
