/**
 * The terms of an order: columns of the row, or of rows that it refers to. Those are joined, each at
 * most one row, so that the order neither repeats rows nor omits them.
 */

import type { Column, Schema, Table } from '../schema/table-schema.ts'
import type { Order, OrderStep } from '../store.ts'
import { ROW, referredTable, rowConditionSql } from './condition-sql.ts'
import { knownColumn, quoted, type SqlDraft } from './sql-text.ts'

export interface OrderTerm {
  /** Not required where the order goes through references, which may be missing. */
  readonly column: Column
  /** The expression for its value. */
  readonly place: string
  readonly descending: boolean
}

/** The terms of the order. */
export function orderTerms(schema: Schema, table: Table, order: readonly Order[]): readonly OrderTerm[] {
  return order.map(({ column: name, descending, through = [] }, at) => {
    const end = through.reduce((from, { reference }) => targetOf(schema, from, reference), table)
    const column = knownColumn(end, name)
    const row = through.length === 0 ? ROW : alias(at, through.length - 1)
    return {
      column: through.length === 0 ? column : { ...column, required: false },
      place: `${row}.${quoted(column.name)}`,
      descending,
    }
  })
}

/** The joins of the rows that the order goes through, with a leading space; empty where there are none. */
export function orderJoinsSql(draft: SqlDraft, table: Table, order: readonly Order[]): string {
  return order.map(({ through = [] }, at) => joinsSql(draft, table, through, at)).join('')
}

function joinsSql(draft: SqlDraft, table: Table, through: readonly OrderStep[], at: number): string {
  let from = { table, row: ROW }
  let text = ''
  for (const [place, { reference, condition }] of through.entries()) {
    const next = { table: targetOf(draft.schema, from.table, reference), row: alias(at, place) }
    const refers = `${next.row}."_identity" = ${from.row}.${quoted(reference)}`
    const own =
      condition.kind === 'always' ? '' : ` and ${rowConditionSql(draft, next.table, next.row, condition)}`
    text += ` left join ${quoted(next.table.name)} ${next.row} on ${refers}${own}`
    from = next
  }
  return text
}

function targetOf(schema: Schema, table: Table, reference: string): Table {
  return referredTable({ schema }, table, knownColumn(table, reference))
}

/** No table has this name. */
function alias(term: number, step: number): string {
  return `_o${term}_${step}`
}
