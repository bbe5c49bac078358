/**
 * Recognises plain lists: comparisons of the table's own columns, joined by `and`, after a position
 * in one direction. Their SQL depends on no value, so it is built once for each kind.
 */

import type { Stored } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Condition, Operator } from '../condition.ts'
import type { Table } from '../schema/table-schema.ts'
import type { Order, RowQuery } from '../store.ts'
import { boundValue, knownColumn } from './sql-text.ts'

export interface PlainList {
  /** Equal for queries of a table that have the same SQL. */
  readonly kind: string
  /** In the order of their parameters. */
  readonly values: readonly Stored[]
}

/** Undefined where the SQL may depend on values. */
export function findPlainList(table: Table, query: RowQuery): PlainList | undefined {
  const { condition, order, after, evaluated: conditions, octets, columns = '*' } = query
  const limit = octets === undefined ? query.limit : `${query.limit} within`
  const selected = `${columns} ${limit}`
  const { name, onward, hasOthers } = orderOf(order)
  if (conditions.length > 0 || hasOthers || query.firstReferring) return undefined
  const values: Stored[] = []
  const compared = comparisons(table, condition, values)
  if (compared === undefined) return undefined
  if (after === undefined) return { kind: `${selected} ${name}${compared}`, values }
  if (!onward || after.length !== order.length) return undefined
  for (const [number, { column: columnName }] of order.entries()) {
    const column = knownColumn(table, columnName)
    if (!column.required) return undefined
    values.push(boundValue(column, after[number] ?? null))
  }
  return { kind: `${selected} ${name}${compared} onward`, values }
}

const orderOf = memoizeByObject((order: readonly Order[]) => ({
  name: order.map(({ column, descending }) => (descending ? `-${column}` : column)).join(),
  /** Whether all columns have the same direction. */
  onward: order.every(({ descending }) => descending === order[0]?.descending),
  /** Whether it has terms that are no columns of the table. */
  hasOthers: order.some((term) => term.through || term.derived),
}))

const plainOperators: ReadonlySet<Operator> = new Set(['eq', 'ne', 'lt', 'lte', 'gt', 'gte'])

/** The comparisons as text, without their values, which are appended to `values`. */
function comparisons(table: Table, condition: Condition, values: Stored[]): string | undefined {
  if (condition.kind === 'always') return ''
  if (condition.kind === 'all') {
    let text = ''
    for (const one of condition.of) {
      const part = one.kind === 'compare' ? comparisons(table, one, values) : undefined
      if (part === undefined) return undefined
      text += part
    }
    return text
  }
  if (condition.kind !== 'compare' || !plainOperators.has(condition.operator)) return undefined
  const { path, operator, values: given } = condition
  const [name, further] = path
  const [value, other] = given
  if (name === undefined || further !== undefined) return undefined
  if (value === undefined || other !== undefined) return undefined
  values.push(boundValue(knownColumn(table, name), value))
  return ` ${operator} ${name}`
}
