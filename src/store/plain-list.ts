/**
 * Plain lists, which most are: comparisons of the table's own columns that all must hold, from a
 * position on in one direction. Their SQL depends on no value, so it is made once for each kind.
 */

import type { Stored } from '../declare/model.ts'
import { oncePer } from '../once.ts'
import type { Condition, Operator } from './condition.ts'
import type { Table } from './schema.ts'
import { boundValue, knownColumn } from './sql.ts'
import type { ListQuestion, Order } from './store.ts'

export interface PlainList {
  /** The same for all questions with the same SQL, of one table and one text for its rows. */
  readonly kind: string
  /** In the order of their parameters. */
  readonly values: readonly Stored[]
}

/** Undefined where the SQL may depend on more. */
export function plainList(table: Table, question: ListQuestion): PlainList | undefined {
  const { condition, order, after, asks, octets } = question
  const limit = octets === undefined ? question.limit : `${question.limit} within`
  const { name, onward } = orderOf(order)
  if (asks.length > 0) return undefined
  const values: Stored[] = []
  const compared = comparisons(table, condition, values)
  if (compared === undefined) return undefined
  if (after === undefined) return { kind: `${limit} ${name}${compared}`, values }
  if (!onward || after.length !== order.length) return undefined
  for (const [place, { column: columnName }] of order.entries()) {
    const column = knownColumn(table, columnName)
    if (!column.required) return undefined
    values.push(boundValue(column, after[place] ?? null))
  }
  return { kind: `${limit} ${name}${compared} onward`, values }
}

const orderOf = oncePer((order: readonly Order[]) => ({
  name: order.map(({ column, descending }) => (descending ? `-${column}` : column)).join(),
  /** All columns go one way. */
  onward: order.every(({ descending }) => descending === order[0]?.descending),
}))

const plainOperators: ReadonlySet<Operator> = new Set(['eq', 'ne', 'lt', 'lte', 'gt', 'gte'])

/** What is compared with what by name, and the values in turn. */
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
