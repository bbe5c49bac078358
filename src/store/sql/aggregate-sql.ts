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
  type SqlDraft,
  type Statement,
  withDeadline,
} from './sql-text.ts'

/** Selects one row for each group: its values, the keys of its references, the aggregates. */
export function aggregateStatement(draft: SqlDraft, query: GroupQuery): Statement {
  const table = knownTable(draft.schema, query.table)
  const { groups, aggregates, referringTo } = query
  if (referringTo) return referringStatement(draft, table, query, referringTo)
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

/** One range of the index of the reference for each row that is referred to. */
function referringStatement(
  draft: SqlDraft,
  table: Table,
  { condition, aggregates }: GroupQuery,
  referred: ReferredRows,
): Statement {
  const parents = referredRowsSql(draft, referred)
  const refers = `${ROW}.${quoted(knownColumn(table, referred.reference).name)} = _p.parent`
  const values = aggregates.map((aggregate) => {
    const where = withDeadline(draft, [refers, conditionSql(draft, table, condition)]).join(' and ')
    return `(select ${aggregateSql(draft, table, aggregate)} from ${quoted(table.name)} ${ROW} where ${where})`
  })
  const sql = `${parents}select _p.parent, ${values.join(', ')} from _p`
  return { sql, values: draft.values }
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
