/** The SELECT of rows: their values, keys of referenced rows, and results of conditions. */

import { memoizeByObject } from '../../tools/memoize.ts'
import { type Column, referredTableName, type Schema, type Table } from '../schema/table-schema.ts'
import type { RowQuery } from '../store.ts'
import { keySql, readColumnSql, readValueSql } from './column-sql.ts'
import { isTrueSql, ROW } from './condition-sql.ts'
import { isAtEnd, orderJoinsSql, orderTerms, tableWithDerivedValuesSql } from './order-sql.ts'
import { referredRowsSql, referringTablesSql } from './referring-sql.ts'
import { type Dialect, knownColumn, knownTable, quoted, type SqlBuilder } from './sql-text.ts'

/** The parts of a query that decide what is selected of each row. */
export type Selection = Pick<RowQuery, 'evaluated' | 'columns' | 'order' | 'octets' | 'firstReferring'>

export function selectSql(
  builder: SqlBuilder,
  table: Table,
  { evaluated, columns, order, octets, firstReferring }: Selection,
): string {
  const { schema, dialect } = builder
  const parents = firstReferring ? referredRowsSql(builder, firstReferring) : ''
  const terms = orderTerms(schema, table, order)
  const values = columns
    ? columns.map((name) => readColumnSql(knownColumn(table, name))).join(', ')
    : rowOf(builder, table).sql
  const results = evaluated.map((condition) => `, ${isTrueSql(builder, table, condition)}`).join('')
  const atEnd = columns ? [] : terms.filter((_, at) => isAtEnd(order[at]))
  const others = atEnd.map((term) => `, ${readValueSql(term)}`).join('')
  const size = octets === undefined || !dialect.limitOctets ? '' : `, ${sizeOf(table)}`
  const tables = firstReferring ? referringTablesSql(table) : tableWithDerivedValuesSql(builder, table, order)
  const joins = orderJoinsSql(builder, table, order)
  return `${parents}select ${values}${results}${others}${size} from ${tables}${joins}`
}

/** How many values a selected row has. */
export function widthOf(builder: SqlBuilder, table: Table, { columns, order, evaluated }: Selection): number {
  const own = columns ? columns.length : rowOf(builder, table).width + order.filter(isAtEnd).length
  return own + evaluated.length
}

type DatabaseTarget = Pick<SqlBuilder, 'schema' | 'dialect'>

interface RowExpressions {
  /** The values of a Row, without evaluated conditions, as the columns of a SELECT. */
  readonly sql: string
  /** How many they are. */
  readonly width: number
}

const rowExpressions = memoizeByObject((dialect: Dialect) =>
  memoizeByObject((schema: Schema) =>
    memoizeByObject((table: Table): RowExpressions => {
      const values = [...table.columns.map(readColumnSql), ...keysSql({ schema, dialect }, table, 'stored')]
      return { sql: values.join(', '), width: values.length }
    }),
  ),
)

function rowOf({ schema, dialect }: DatabaseTarget, table: Table): RowExpressions {
  return rowExpressions(dialect)(schema)(table)
}

/** The octets of the texts of a row. */
export const sizeOf = memoizeByObject((table: Table): string => {
  const texts = table.columns.filter(({ type }) => type === 'text')
  return texts.map(({ name }) => `coalesce(octet_length(${ROW}.${quoted(name)}), 0)`).join(' + ')
})

/**
 * The keys of referenced rows, for tables with a key field. A row that is not stored yet and refers
 * to itself has its own key.
 */
export function keysSql(on: DatabaseTarget, table: Table, row: 'stored' | 'unstored'): string[] {
  return table.columns.flatMap((column) => {
    const name = referredTableName(column)
    if (name === undefined) return []
    const target = knownTable(on.schema, name)
    if (target.idColumn === '_identity') return []
    if (column.elements) return [elementKeysSql(on.dialect, { table, column, target, row })]
    const key = keySql(on.schema, column)
    if (key === undefined) return []
    if (row === 'stored' || target !== table) return [key]
    const itself = `${ROW}.${quoted(column.name)} = ${ROW}."_identity"`
    return [`case when ${itself} then ${ROW}.${quoted(target.idColumn)} else ${key} end`]
  })
}

export interface ElementKeys {
  readonly table: Table
  readonly column: Column
  readonly target: Table
  readonly row: 'stored' | 'unstored'
}

/** The keys of a set of references as a JSON array of text, in the order of the keys. */
export function elementKeysSql(dialect: Dialect, { table, column, target, row }: ElementKeys): string {
  const id = quoted(target.idColumn)
  const itself = `case when k."_identity" = ${ROW}."_identity" then ${ROW}.${id} else k.${id} end`
  const key = row === 'stored' || target !== table ? `k.${id}` : itself
  const text = dialect.jsonString(`cast(${key} as text)`)
  const from = `${quoted(target.name)} k where k."_identity" in (${dialect.jsonElements(`${ROW}.${quoted(column.name)}`)})`
  return `(select concat('[', string_agg(${text}, ',' order by ${key}), ']') from ${from})`
}
