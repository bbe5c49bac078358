/** Aggregates of the rows of a table as SQL, alike on both databases. */

import type { Row } from '../row.ts'
import type { Table } from '../schema/table-schema.ts'
import { type GroupQuery, type StoredAggregate, type StoredGroup, timePartLength } from '../store.ts'
import { keySql, readColumnSql } from './column-sql.ts'
import { conditionSql, ROW, withDeadline } from './condition-sql.ts'
import {
  bindRaw,
  knownColumn,
  knownTable,
  limitSql,
  quoted,
  type SqlDraft,
  type Statement,
} from './sql-text.ts'

/** Selects one row for each group: its values, the keys of its references, the aggregates. */
export function aggregateStatement(draft: SqlDraft, query: GroupQuery): Statement {
  const table = knownTable(draft.schema, query.table)
  const { groups, aggregates } = query
  const selected = [
    ...groups.map((group) => groupSql(table, group)),
    ...groups.flatMap(({ column }) => keySql(draft.schema, knownColumn(table, column)) ?? []),
    ...aggregates.map((aggregate) => aggregateSql(draft, table, aggregate)),
  ]
  const where = withDeadline(draft, [conditionSql(draft, table, query.condition)]).join(' and ')
  const from = `from ${quoted(table.name)} ${ROW} where ${where}`
  const by = groups.length === 0 ? '' : ` group by ${groups.map((one) => placeSql(table, one)).join(', ')}`
  const select = (columns: readonly string[]) =>
    `select ${columns.join(', ')} ${from}${by} limit ${limitSql(draft, query.limit)}`
  const { limitOctets } = draft.dialect
  const texts = groups.filter(({ column, part }) => !part && knownColumn(table, column).type === 'text')
  if (texts.length === 0) return { sql: select(selected), values: draft.values }
  if (!limitOctets) return { sql: select(selected), values: draft.values, octets: query.octets }
  const sizes = texts.map((group) => `coalesce(octet_length(${placeSql(table, group)}), 0)`)
  const list = select([...selected, sizes.join(' + ')])
  const within = limitOctets(list, selected.length, bindRaw(draft, query.octets))
  return { sql: within, values: draft.values }
}

function groupSql(table: Table, group: StoredGroup): string {
  return group.part ? placeSql(table, group) : readColumnSql(knownColumn(table, group.column))
}

function placeSql(table: Table, { column: name, part }: StoredGroup): string {
  const place = `${ROW}.${quoted(knownColumn(table, name).name)}`
  return part ? `substr(${place}, 1, ${timePartLength[part]})` : place
}

function aggregateSql({ dialect }: SqlDraft, table: Table, aggregate: StoredAggregate): string {
  if (aggregate.column === undefined) return 'count(*)'
  const column = knownColumn(table, aggregate.column)
  const place = `${ROW}.${quoted(column.name)}`
  if (aggregate.kind === 'sum') return dialect.exactSum(place, column)
  const value = `${aggregate.kind}(${place})`
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

/** A sum of integers may come as the sums of their upper and lower 32 bits. */
function parseExactSum(text: string): string {
  const [upper = '', lower] = text.split(',')
  return lower === undefined ? upper : String(BigInt(upper) * 4294967296n + BigInt(lower))
}
