/** Aggregates of the rows of a table as SQL, alike on both databases. */

import { parseExactSum } from '../exact-total.ts'
import {
  type GroupQuery,
  type ReferredRows,
  type StoredAggregate,
  type StoredGroup,
  timePartLength,
} from '../group-query.ts'
import type { Row } from '../row.ts'
import type { Table } from '../schema/table-schema.ts'
import { keySql, readColumnSql } from './column-sql.ts'
import { conditionSql, ROW } from './condition-sql.ts'
import { referredRowsSql } from './referring-sql.ts'
import {
  bindRaw,
  knownColumn,
  knownTable,
  limitSql,
  quoted,
  type SqlBuilder,
  type Statement,
  withDeadline,
} from './sql-text.ts'

/** Selects one row for each group: its values, the keys of its references, the aggregates. */
export function aggregateStatement(builder: SqlBuilder, query: GroupQuery): Statement {
  const table = knownTable(builder.schema, query.table)
  const { groups, aggregates, referringTo } = query
  if (referringTo) return referringStatement(builder, table, query, referringTo)
  const selected = [
    ...groups.map((group) => groupSql(table, group)),
    ...groups.flatMap(({ column }) => keySql(builder.schema, knownColumn(table, column)) ?? []),
    ...aggregates.map((aggregate) => aggregateSql(builder, table, aggregate)),
  ]
  const where = withDeadline(builder, [conditionSql(builder, table, query.condition)]).join(' and ')
  const from = `from ${quoted(table.name)} ${ROW} where ${where}`
  const by = groups.length === 0 ? '' : ` group by ${groups.map((one) => groupedSql(table, one)).join(', ')}`
  const select = (columns: readonly string[]) =>
    `select ${columns.join(', ')} ${from}${by} limit ${limitSql(builder, query.limit)}`
  const { limitOctets } = builder.dialect
  const texts = groups.filter(({ column, part }) => !part && knownColumn(table, column).type === 'text')
  if (texts.length === 0) return { sql: select(selected), values: builder.values }
  if (!limitOctets) return { sql: select(selected), values: builder.values, octets: query.octets }
  const sizes = texts.map((group) => `coalesce(octet_length(${groupedSql(table, group)}), 0)`)
  const list = select([...selected, sizes.join(' + ')])
  const within = limitOctets(list, selected.length, bindRaw(builder, query.octets))
  return { sql: within, values: builder.values }
}

/** One range of the index of the reference for each row that is referred to. */
function referringStatement(
  builder: SqlBuilder,
  table: Table,
  { condition, aggregates }: GroupQuery,
  referred: ReferredRows,
): Statement {
  const parents = referredRowsSql(builder, referred)
  const refers = `${ROW}.${quoted(knownColumn(table, referred.reference).name)} = _p.parent`
  const values = aggregates.map((aggregate) => {
    const where = withDeadline(builder, [refers, conditionSql(builder, table, condition)]).join(' and ')
    return `(select ${aggregateSql(builder, table, aggregate)} from ${quoted(table.name)} ${ROW} where ${where})`
  })
  const sql = `${parents}select _p.parent, ${values.join(', ')} from _p`
  return { sql, values: builder.values }
}

function groupSql(table: Table, group: StoredGroup): string {
  return group.part ? groupedSql(table, group) : readColumnSql(knownColumn(table, group.column))
}

function groupedSql(table: Table, { column: name, part }: StoredGroup): string {
  const columnSql = `${ROW}.${quoted(knownColumn(table, name).name)}`
  return part ? `substr(${columnSql}, 1, ${timePartLength[part]})` : columnSql
}

function aggregateSql({ dialect }: SqlBuilder, table: Table, aggregate: StoredAggregate): string {
  if (aggregate.column === undefined) return 'count(*)'
  const column = knownColumn(table, aggregate.column)
  const columnSql = `${ROW}.${quoted(column.name)}`
  if (aggregate.kind === 'sum') return dialect.exactSum(columnSql, column)
  const value = `${aggregate.kind}(${columnSql})`
  return column.type === 'decimal' && aggregate.kind !== 'count' ? `cast(${value} as text)` : value
}

/** The rows with each sum as one decimal text. */
export function parseAggregateRows(query: GroupQuery, rows: readonly Row[]): readonly Row[] {
  const sums = query.aggregates.map(({ kind }) => kind === 'sum')
  if (!sums.includes(true)) return rows
  return rows.map((row) => {
    const first = row.length - sums.length
    return row.map((value, at) => (sums[at - first] && value !== null ? parseExactSum(String(value)) : value))
  })
}
