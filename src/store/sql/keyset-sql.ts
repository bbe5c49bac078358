/**
 * Keyset pagination: the rows after a position in a total order, at the same cost for every page.
 * These are the rows equal in all but the last column and beyond it there, then those equal in all
 * but the last two, and so on. Each of these branches is one range of an index.
 */

import type { Stored } from '../../definition/model.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import type { Order } from '../store.ts'
import { ROW } from './condition-sql.ts'
import { bind, knownColumn, quoted, type SqlDraft } from './sql-text.ts'

/** One range of rows: equal in the first columns, beyond the position in the next. */
export interface Branch {
  readonly equal: readonly Bound[]
  /** Undefined for a list from its beginning. */
  readonly beyond: Beyond | undefined
}

interface Bound {
  readonly column: Column
  readonly value: Stored
}

type Beyond =
  | { readonly test: '>' | '<'; readonly bounds: readonly Bound[] }
  | { readonly test: 'is null' | 'is not null'; readonly column: Column }

/** The branches after the position, in order; none where no row can follow. */
export function branchesAfter(
  table: Table,
  order: readonly Order[],
  after: readonly Stored[] | undefined,
): readonly Branch[] {
  if (after === undefined) return [{ equal: [], beyond: undefined }]
  if (after.length !== order.length) throw new Error('A position has a value for each column')
  const bounds = order.map(({ column }, place) => ({
    column: knownColumn(table, column),
    value: after[place] ?? null,
  }))
  const direction = oneDirection(order, bounds)
  if (direction !== undefined) return [{ equal: [], beyond: { test: direction, bounds } }]
  return order
    .map((term, place) =>
      beyondBound(bounds[place]!, term).map((beyond) => ({
        equal: bounds.slice(0, place),
        beyond,
      })),
    )
    .reverse()
    .flat()
}

/** Required columns in one direction are compared at once, as a row value. */
function oneDirection(order: readonly Order[], bounds: readonly Bound[]): '>' | '<' | undefined {
  const descending = order[0]?.descending ?? false
  if (order.some((term) => term.descending !== descending)) return undefined
  if (!bounds.every(({ column }) => column.required)) return undefined
  return descending ? '<' : '>'
}

/** Missing values sort first ascending, so descending they are beyond every value. */
function beyondBound(bound: Bound, { descending }: Order): Beyond[] {
  const { column, value } = bound
  if (value === null) return descending ? [] : [{ column, test: 'is not null' }]
  if (!descending) return [{ test: '>', bounds: [bound] }]
  const smaller: Beyond = { test: '<', bounds: [bound] }
  return column.required ? [smaller] : [smaller, { test: 'is null', column }]
}

/** The terms of the branch, to be joined by `and`. */
export function branchSql(draft: SqlDraft, branch: Branch): string[] {
  const equal = branch.equal.map(({ column, value }) =>
    value === null ? `${placed(column)} is null` : `${placed(column)} = ${bind(draft, column, value)}`,
  )
  return branch.beyond === undefined ? equal : [...equal, beyondSql(draft, branch.beyond)]
}

function beyondSql(draft: SqlDraft, beyond: Beyond): string {
  if ('column' in beyond) return `${placed(beyond.column)} ${beyond.test}`
  const places = beyond.bounds.map(({ column }) => placed(column)).join(', ')
  const values = beyond.bounds.map(({ column, value }) => bind(draft, column, value)).join(', ')
  if (beyond.bounds.length === 1) return `${places} ${beyond.test} ${values}`
  return `(${places}) ${beyond.test} (${values})`
}

/** The ORDER BY terms of a branch, without the columns in which its rows are equal. */
export function orderSql(draft: SqlDraft, table: Table, order: readonly Order[], from: number) {
  return order
    .slice(from)
    .map(({ column: name, descending }) => {
      const column = knownColumn(table, name)
      return draft.dialect.orderTerm(placed(column), descending ? 'desc' : 'asc', column)
    })
    .join(', ')
}

function placed(column: Column): string {
  return `${ROW}.${quoted(column.name)}`
}
