/** Expressions for the values of columns, and for the keys of the rows that they refer to. */

import { type Column, referredTableName, type Schema } from '../schema/table-schema.ts'
import { ROW } from './condition-sql.ts'
import { knownTable, quoted } from './sql-text.ts'

/** An expression for the column's value. */
export function readColumnSql(column: Column): string {
  return readValueSql({ column, columnSql: `${ROW}.${quoted(column.name)}` })
}

/** An expression for the value at a place. A decimal is read as text, because it may exceed a number. */
export function readValueSql({
  column,
  columnSql,
}: {
  readonly column: Column
  readonly columnSql: string
}): string {
  return column.type === 'decimal' ? `cast(${columnSql} as text)` : columnSql
}

/** The key of the row that a reference leads to; undefined where its table has no key field. */
export function keySql(schema: Schema, column: Column): string | undefined {
  const name = referredTableName(column)
  if (name === undefined || column.elements) return undefined
  const target = knownTable(schema, name)
  if (target.idColumn === '_identity') return undefined
  const from = `${quoted(target.name)} k where k."_identity" = ${ROW}.${quoted(column.name)}`
  return `(select k.${quoted(target.idColumn)} from ${from})`
}
