/** Values that are computed from the rows which refer to a row, as SQL expressions. */

import type { DerivedValue } from '../condition.ts'
import type { Column, Schema, Table } from '../schema/table-schema.ts'
import { knownColumn, knownTable, quoted, type SqlBuilder, withDeadline } from './sql-text.ts'

/** Where the expression is used. */
interface DerivedAliases {
  /** The alias of the row that the value belongs to. */
  readonly row: string
  /** The alias of the rows that it is computed from. */
  readonly referring: string
  /** Which of them count. */
  readonly condition: string
}

/** An expression for the value. */
export function derivedSql(builder: SqlBuilder, value: DerivedValue, aliases: DerivedAliases): string {
  const { row, referring, condition } = aliases
  const table = knownTable(builder.schema, value.table)
  const refers = `${referring}.${quoted(knownColumn(table, value.reference).name)} = ${row}."_identity"`
  const where = withDeadline(builder, [refers, condition]).join(' and ')
  return `(select ${operationSql(builder, value, table, referring)} from ${quoted(table.name)} ${referring} where ${where})`
}

function operationSql(
  { dialect }: SqlBuilder,
  { operation, column: name }: DerivedValue,
  table: Table,
  row: string,
): string {
  if (operation === 'count' || name === undefined) return 'count(*)'
  const column = knownColumn(table, name)
  const columnSql = `${row}.${quoted(column.name)}`
  if (operation === 'min' || operation === 'max') return `${operation}(${columnSql})`
  return dialect.comparableTotal(operation, columnSql, column)
}

/** The value as a column, for its type. */
export function derivedColumn(schema: Schema, { operation, table, column: name }: DerivedValue): Column {
  const others = knownTable(schema, table)
  const source = knownColumn(others, name ?? '_version')
  return {
    ...source,
    type: derivedType(operation, source.type),
    required: operation === 'count' || (operation === 'sum' && source.type === 'decimal'),
    unique: false,
    references: undefined,
    uncheckedReference: undefined,
  }
}

function derivedType(operation: DerivedValue['operation'], type: Column['type']): Column['type'] {
  if (operation === 'count') return 'integer'
  return operation === 'avg' && type === 'integer' ? 'real' : type
}
