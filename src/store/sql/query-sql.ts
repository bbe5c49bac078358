/** The reads of the Store as SQL statements. */

import type { Stored } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Condition } from '../condition.ts'
import type { GroupQuery } from '../group-query.ts'
import type { Row, RowText } from '../row.ts'
import { findOctetLimit } from '../row-size.ts'
import type { Column, Schema, Table } from '../schema/table-schema.ts'
import type { RowLookup, RowQuery, UnsavedRows } from '../store.ts'
import { aggregateStatement } from './aggregate-sql.ts'
import { alternativesSql, type ListRange } from './alternatives-sql.ts'
import { keySql, readColumnSql, readValueSql } from './column-sql.ts'
import { conditionSql, isTrueSql, ROW } from './condition-sql.ts'
import { isSingleIndexRange } from './index-range.ts'
import { type KeysetRange, keysetRangeSql, keysetRangesAfter, orderSql } from './keyset-sql.ts'
import { isAtEnd, type OrderTerm, orderedTableSql, orderJoinsSql, orderTerms } from './order-sql.ts'
import { findPlainList } from './plain-list.ts'
import { isFirstReferringSql, referredRowsSql, referringTablesSql } from './referring-sql.ts'
import { rowTextSql, type ValueSql } from './row-text-sql.ts'
import {
  bind,
  type Dialect,
  knownColumn,
  knownTable,
  limitSql,
  quoted,
  type SqlBuilder,
  type Statement,
  withDeadline,
} from './sql-text.ts'
import { withUnsavedRows } from './unsaved-rows-sql.ts'

export interface Queries {
  find(query: RowLookup): Statement
  list(query: RowQuery): Statement
  count(table: string, condition: Condition, unsaved?: UnsavedRows): Statement
  aggregate(query: GroupQuery): Statement
  /** Selects one value: 1 where a row with the values satisfies the condition. */
  satisfies(table: string, values: Row, condition: Condition, unsaved?: UnsavedRows): Statement
  /** Selects the row that `find` would return for the values. */
  preview(table: string, values: Row, conditions: readonly Condition[], unsaved?: UnsavedRows): Statement
}

type Selection = Pick<RowQuery, 'evaluated' | 'text' | 'order' | 'octets' | 'firstReferring'>

const maxCachedLists = 500
/** The key of queries for whole rows, beside those for text. */
const wholeRow = Object.freeze({})

/** Creates the statements for a schema in a dialect, with the texts of plain lists cached. */
export function createQueries(schema: Schema, dialect: Dialect): Queries {
  const rowValuesOf = memoizeByObject((table: Table) => rowValues({ schema, dialect }, table))
  const selected = memoizeByObject((table: Table) =>
    rowValuesOf(table)
      .map(({ sql }) => sql)
      .join(', '),
  )
  const plainTexts = memoizeByObject((_: Table) =>
    memoizeByObject((_: RowText | typeof wholeRow) => new Map<string, string>()),
  )
  const createBuilder = (): SqlBuilder => ({ schema, dialect, values: [] })

  function selectSql(
    builder: SqlBuilder,
    table: Table,
    { evaluated: conditions, text, order, octets, firstReferring }: Selection,
  ): string {
    const parents = firstReferring ? referredRowsSql(builder, firstReferring) : ''
    const terms = orderTerms(schema, table, order)
    const columns = text
      ? [rowTextSql(dialect, rowValuesOf(table), text), ...terms.map(readValueSql)].join(', ')
      : selected(table)
    const results = conditions.map((condition) => `, ${isTrueSql(builder, table, condition)}`).join('')
    const joined = text ? [] : terms.filter((_, at) => isAtEnd(order[at]))
    const others = joined.map((term) => `, ${readValueSql(term)}`).join('')
    const size = octets === undefined || !dialect.limitOctets ? '' : `, ${sizeOf(table)}`
    const tables = firstReferring ? referringTablesSql(table) : orderedTableSql(builder, table, order)
    const joins = orderJoinsSql(builder, table, order)
    return `${parents}select ${columns}${results}${others}${size} from ${tables}${joins}`
  }

  function listStatement(table: Table, query: RowQuery): Statement {
    const builder = createBuilder()
    const terms = orderTerms(schema, table, query.order)
    const keysetRanges = keysetRangesAfter(terms, query.after)
    const { sql } = withUnsavedRows(builder, query.unsaved, () => {
      const parts = keysetRanges.map((keysetRange) =>
        rangeQuerySql(builder, { table, rowQuery: query, terms, keysetRange, select: selectSql }),
      )
      return { sql: unionSql(builder, query, parts), values: builder.values }
    })
    const { octets } = query
    if (octets === undefined || !dialect.limitOctets || keysetRanges.length === 0)
      return { sql, values: builder.values }
    const { order } = query
    const own = query.text ? 1 + order.length : rowValuesOf(table).length + order.filter(isAtEnd).length
    builder.values.push(octets)
    const bound = dialect.placeholder(builder.values.length)
    const within = dialect.limitOctets(sql, own + query.evaluated.length, bound)
    return { sql: within, values: builder.values }
  }

  function listOf(table: Table, query: RowQuery): Statement {
    const plain = query.unsaved ? undefined : findPlainList(table, query)
    if (plain === undefined) return listStatement(table, query)
    const { kind, values } = plain
    const known = plainTexts(table)(query.text ?? wholeRow)
    let sql = known.get(kind)
    if (sql === undefined) {
      sql = listStatement(table, query).sql
      // Clients choose the comparisons, so the cache is cleared when it is full.
      if (known.size >= maxCachedLists) known.clear()
      known.set(kind, sql)
    }
    if (dialect.plansByLimit) return { sql, values }
    const { limit, octets } = query
    return { sql, values: [...values, limit, ...(octets === undefined ? [] : [octets])] }
  }

  return {
    find({ table: name, column: columnName, value, evaluated: conditions, unsaved }) {
      const builder = createBuilder()
      const table = knownTable(schema, name)
      const column = knownColumn(table, columnName)
      return withUnsavedRows(builder, unsaved, () => {
        const select = selectSql(builder, table, { evaluated: conditions, text: undefined, order: [] })
        const sql = `${select} where ${ROW}.${quoted(column.name)} = ${bind(builder, column, value)}`
        return { sql, values: builder.values }
      })
    },
    list(given) {
      const table = knownTable(schema, given.table)
      const octets = findOctetLimit(table, given)
      if (dialect.limitOctets) return listOf(table, { ...given, octets })
      const statement = listOf(table, given)
      return octets === undefined ? statement : { ...statement, octets }
    },
    count(name, condition, unsaved) {
      const builder = createBuilder()
      const table = knownTable(schema, name)
      return withUnsavedRows(builder, unsaved, () => {
        const where = withDeadline(builder, [conditionSql(builder, table, condition)]).join(' and ')
        const sql = `select count(*) from ${quoted(table.name)} ${ROW} where ${where}`
        return { sql, values: builder.values }
      })
    },
    aggregate(query) {
      const builder = createBuilder()
      return withUnsavedRows(builder, query.unsaved, () => aggregateStatement(builder, query))
    },
    satisfies(name, values, condition, unsaved) {
      const builder = createBuilder()
      const table = knownTable(schema, name)
      return withUnsavedRows(builder, unsaved, () => satisfiesStatement(builder, table, values, condition))
    },
    preview(name, values, conditions, unsaved) {
      const builder = createBuilder()
      const table = knownTable(schema, name)
      return withUnsavedRows(builder, unsaved, () => {
        const row = valuesSql(builder, table, values)
        const columns = [...table.columns.map(readColumnSql), ...keysSql(builder, table, 'unstored')]
        const results = conditions.map((condition) => isTrueSql(builder, table, condition))
        const sql = `${row} select ${[...columns, ...results].join(', ')} from ${ROW}`
        return { sql, values: builder.values }
      })
    },
  }
}

/** The octets of the texts of a row. */
const sizeOf = memoizeByObject((table: Table): string => {
  const texts = table.columns.filter(({ type }) => type === 'text')
  return texts.map(({ name }) => `coalesce(octet_length(${ROW}.${quoted(name)}), 0)`).join(' + ')
})

/** The expressions of a Row, without evaluated conditions. */
function rowValues(on: Pick<SqlBuilder, 'schema' | 'dialect'>, table: Table): readonly ValueSql[] {
  const columns = table.columns.map((column) => ({
    sql: readColumnSql(column),
    required: column.required,
  }))
  const keys = keysSql(on, table, 'stored').map((sql) => ({ sql, required: false }))
  return [...columns, ...keys]
}

/**
 * The keys of referenced rows, for tables with a key field. A row that is not stored yet and refers
 * to itself has its own key.
 */
function keysSql(
  on: Pick<SqlBuilder, 'schema' | 'dialect'>,
  table: Table,
  row: 'stored' | 'unstored',
): string[] {
  return table.columns.flatMap((column) => {
    const reference = column.references ?? column.elements
    if (reference === undefined) return []
    const target = knownTable(on.schema, reference.table)
    if (target.idColumn === '_identity') return []
    if (column.elements) return [elementKeysSql(on.dialect, { table, column, target, row })]
    const key = keySql(on.schema, column)
    if (key === undefined) return []
    if (row === 'stored' || target !== table) return [key]
    const itself = `${ROW}.${quoted(column.name)} = ${ROW}."_identity"`
    return [`case when ${itself} then ${ROW}.${quoted(target.idColumn)} else ${key} end`]
  })
}

interface ElementKeys {
  readonly table: Table
  readonly column: Column
  readonly target: Table
  readonly row: 'stored' | 'unstored'
}

/** The keys of a set of references as a JSON array of text, in the order of the keys. */
function elementKeysSql(dialect: Dialect, { table, column, target, row }: ElementKeys): string {
  const id = quoted(target.idColumn)
  const itself = `case when k."_identity" = ${ROW}."_identity" then ${ROW}.${id} else k.${id} end`
  const key = row === 'stored' || target !== table ? `k.${id}` : itself
  const text = dialect.jsonString(`cast(${key} as text)`)
  const from = `${quoted(target.name)} k where k."_identity" in (${dialect.jsonElements(`${ROW}.${quoted(column.name)}`)})`
  return `(select concat('[', string_agg(${text}, ',' order by ${key}), ']') from ${from})`
}

interface RangeQuery {
  readonly table: Table
  readonly rowQuery: RowQuery
  readonly terms: readonly OrderTerm[]
  readonly keysetRange: KeysetRange
  select(builder: SqlBuilder, table: Table, query: RowQuery): string
}

function rangeQuerySql(
  builder: SqlBuilder,
  { table, rowQuery: query, terms: order, keysetRange, select }: RangeQuery,
): string {
  const selection = select(builder, table, query)
  const alternatives = alternativesSql(builder, { table, query, keysetRange })
  const terms =
    alternatives === undefined ? rangeTerms(builder, { table, query, keysetRange }) : [alternatives]
  const where = terms.length === 0 ? '' : ` where ${terms.join(' and ')}`
  const ordered = orderSql(builder, order, keysetRange.equal.length)
  return `${selection}${where} order by ${ordered} limit ${limitSql(builder, query.limit)}`
}

function rangeTerms(builder: SqlBuilder, { table, query, keysetRange }: ListRange): readonly string[] {
  return [
    ...deadlineOf(builder, table, query),
    ...conditionTerms(builder, table, query),
    ...keysetRangeSql(builder, keysetRange),
  ]
}

function conditionTerms(
  builder: SqlBuilder,
  table: Table,
  { condition, firstReferring }: RowQuery,
): string[] {
  if (firstReferring) return [isFirstReferringSql(builder, table, firstReferring, condition)]
  return condition.kind === 'always' ? [] : [conditionSql(builder, table, condition)]
}

/** No deadline where the rows are one range of an index, in its order. */
function deadlineOf(builder: SqlBuilder, table: Table, query: RowQuery) {
  return isSingleIndexRange(table, query) ? [] : withDeadline(builder, [])
}

/** UNION ALL runs its parts in turn and stops when the limit is reached. */
function unionSql(builder: SqlBuilder, { limit }: RowQuery, parts: readonly string[]): string {
  const [first] = parts
  if (first === undefined) return 'select 1 where false'
  if (parts.length === 1) return first
  const union = parts.map((part) => `select * from (${part}) b`).join(' union all ')
  return `${union} limit ${limitSql(builder, limit)}`
}

/** Selects 1 where a row with the values satisfies the condition. The values replace the table. */
export function satisfiesStatement(
  builder: SqlBuilder,
  table: Table,
  values: readonly Stored[],
  condition: Condition,
): Statement {
  const row = valuesSql(builder, table, values)
  const sql = `${row} select ${isTrueSql(builder, table, condition)} from ${ROW}`
  return { sql, values: builder.values }
}

function valuesSql(builder: SqlBuilder, table: Table, values: readonly Stored[]): string {
  const names = table.columns.map((column) => quoted(column.name)).join(', ')
  const parameters = table.columns.map((column, at) =>
    builder.dialect.castParameter(bind(builder, column, values[at] ?? null), column),
  )
  return `with ${ROW} (${names}) as (values (${parameters.join(', ')}))`
}
