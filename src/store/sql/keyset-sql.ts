/**
 * Keyset pages: what comes after a position in a total order, so that the millionth page costs
 * what the first does. In general, rows after a position are those equal in all but the last
 * column and beyond it there, then those equal in all but the last two, and so on: each branch is
 * one range of an index.
 */

import type { Stored } from '../../definition/model.ts'
import type { Column, Table } from '../schema/table-schema.ts'
import type { Order } from '../store.ts'
import { ROW } from './condition-sql.ts'
import { bind, knownColumn, quoted, type SqlDraft } from './sql-text.ts'

/** One range of rows in order: equal in the first columns, beyond the position in the next. */
export interface Branch {
  readonly equal: readonly Bound[]
  /** Undefined in the one branch there is when a list begins at its beginning. */
  readonly beyond: Beyond | undefined
}

interface Bound {
  readonly column: Column
  readonly value: Stored
}

type Beyond =
  | { readonly test: '>' | '<'; readonly bounds: readonly Bound[] }
  | { readonly test: 'is null' | 'is not null'; readonly column: Column }

/** The branches that follow the position, in the order their rows come; none when nothing can. */
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

/** Columns that all go one way and are never missing are compared at once, as a row of values. */
function oneDirection(order: readonly Order[], bounds: readonly Bound[]): '>' | '<' | undefined {
  const descending = order[0]?.descending ?? false
  if (order.some((term) => term.descending !== descending)) return undefined
  if (!bounds.every(({ column }) => column.required)) return undefined
  return descending ? '<' : '>'
}

/** Missing values come first ascending, so they are beyond every value descending. */
function beyondBound(bound: Bound, { descending }: Order): Beyond[] {
  const { column, value } = bound
  if (value === null) return descending ? [] : [{ column, test: 'is not null' }]
  if (!descending) return [{ test: '>', bounds: [bound] }]
  const smaller: Beyond = { test: '<', bounds: [bound] }
  return column.required ? [smaller] : [smaller, { test: 'is null', column }]
}

/** The branch as conditions on the row that all must hold. */
export function branchSql(draft: SqlDraft, branch: Branch): string[] {
  const equal = branch.equal.map(({ column, value }) =>
    value === null
      ? `${placed(column)} is null`
      : `${placed(column)} = ${bind(draft, column, value)}`,
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

/** The order within a branch: columns in which its rows are equal are left out. */
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
