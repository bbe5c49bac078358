/**
 * The terms of an order: columns of the row, of rows that it refers to, or derived values of either.
 * Rows that it refers to are joined, each at most one row, so that the order neither repeats rows nor
 * omits them.
 */

import type { DerivedValue } from '../condition.ts'
import type { Column, Schema, Table } from '../schema/table-schema.ts'
import type { Order } from '../store.ts'
import { ROW, rowConditionSql, rowDerivedSql } from './condition-sql.ts'
import { derivedColumn } from './derived-sql.ts'
import { referredTable } from './selective-condition.ts'
import { knownColumn, quoted, type SqlBuilder } from './sql-text.ts'

export interface OrderTerm {
  /** Not required where the order goes through references, which may be missing. */
  readonly column: Column
  /** The expression for its value. */
  readonly columnSql: string
  readonly descending: boolean
}

/** The terms of the order. */
export function orderTerms(schema: Schema, table: Table, order: readonly Order[]): readonly OrderTerm[] {
  return order.map(({ column: name, descending, through = [], derived }, at) => {
    const end = through.reduce((from, { reference }) => targetOf(schema, from, reference), table)
    const column = derived ? derivedColumn(schema, derived) : knownColumn(end, name)
    const row = through.length === 0 ? ROW : alias(at, through.length - 1)
    return {
      column: through.length === 0 ? column : { ...column, required: false },
      columnSql: `${row}.${quoted(derived ? derivedName(at) : column.name)}`,
      descending,
    }
  })
}

/** Whether a row of the list has the value of the term at its end, because no column holds it. */
export function isAtEnd(term: Order | undefined): boolean {
  return term?.through !== undefined || term?.derived !== undefined
}

/** The table of the list, with the derived values that it is ordered by. */
export function tableWithDerivedValuesSql(
  builder: SqlBuilder,
  table: Table,
  order: readonly Order[],
): string {
  const derived = order.flatMap(({ derived: value, through }, at) =>
    value && !through ? [{ value, at }] : [],
  )
  return tableSql(builder, table, ROW, derived)
}

interface DerivedTerm {
  readonly value: DerivedValue
  /** The place of the term in the order. */
  readonly at: number
}

/** The table under the alias, with the derived values as further columns. */
function tableSql(builder: SqlBuilder, table: Table, row: string, derived: readonly DerivedTerm[]): string {
  const plain = `${quoted(table.name)} ${row}`
  if (derived.length === 0) return plain
  const values = derived.map(({ value, at }) => `${rowDerivedSql(builder, row, value)} as ${derivedName(at)}`)
  return `(select ${row}.*, ${values.join(', ')} from ${plain}) ${row}`
}

/** No column has this name. */
function derivedName(at: number): string {
  return `_derived${at}`
}

/** The joins of the rows that the order goes through, with a leading space; empty where there are none. */
export function orderJoinsSql(builder: SqlBuilder, table: Table, order: readonly Order[]): string {
  return order.map((term, at) => joinsSql(builder, table, term, at)).join('')
}

function joinsSql(builder: SqlBuilder, table: Table, { through = [], derived }: Order, at: number): string {
  let from = { table, row: ROW }
  let text = ''
  for (const [number, { reference, condition }] of through.entries()) {
    const next = { table: targetOf(builder.schema, from.table, reference), row: alias(at, number) }
    const isLast = number === through.length - 1
    const target = tableSql(builder, next.table, next.row, derived && isLast ? [{ value: derived, at }] : [])
    const refers = `${next.row}."_identity" = ${from.row}.${quoted(reference)}`
    const own =
      condition.kind === 'always' ? '' : ` and ${rowConditionSql(builder, next.table, next.row, condition)}`
    text += ` left join ${target} on ${refers}${own}`
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
