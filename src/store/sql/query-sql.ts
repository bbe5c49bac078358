/** The reads of the Store as SQL statements. */

import type { Stored } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Condition } from '../condition.ts'
import type { GroupQuery } from '../group-query.ts'
import type { Row } from '../row.ts'
import { findOctetLimit } from '../row-size.ts'
import { type Schema, type Table, withInitialValues } from '../schema/table-schema.ts'
import type { CountOptions, RowLookup, RowQuery, UnsavedRows } from '../store.ts'
import { aggregateStatement } from './aggregate-sql.ts'
import { readColumnSql } from './column-sql.ts'
import { conditionSql, isTrueSql, ROW } from './condition-sql.ts'
import { listStatement } from './list-sql.ts'
import { findPlainList } from './plain-list.ts'
import { keysSql, selectSql } from './select-sql.ts'
import {
  bind,
  type Dialect,
  knownColumn,
  knownTable,
  quoted,
  type SqlBuilder,
  type Statement,
  withDeadline,
} from './sql-text.ts'
import { withUnsavedRows } from './unsaved-rows-sql.ts'

export interface Queries {
  find(query: RowLookup): Statement
  list(query: RowQuery): Statement
  count(table: string, condition: Condition, options?: CountOptions): Statement
  aggregate(query: GroupQuery): Statement
  /** Selects one value: 1 where a row with the values satisfies the condition. */
  satisfies(table: string, values: Row, condition: Condition, unsaved?: UnsavedRows): Statement
  /** Selects the row that `find` would return for the values. */
  preview(table: string, values: Row, conditions: readonly Condition[], unsaved?: UnsavedRows): Statement
}

const maxCachedLists = 500

/** Creates the statements for a schema in a dialect, with the texts of plain lists cached. */
export function createQueries(schema: Schema, dialect: Dialect): Queries {
  const plainTexts = memoizeByObject((_: Table) => new Map<string, string>())
  const createBuilder = (): SqlBuilder => ({ schema, dialect, values: [] })

  function listOf(table: Table, query: RowQuery): Statement {
    const plain = query.unsaved ? undefined : findPlainList(table, query)
    if (plain === undefined) return listStatement(createBuilder(), table, query)
    const { kind, values } = plain
    const known = plainTexts(table)
    let sql = known.get(kind)
    if (sql === undefined) {
      sql = listStatement(createBuilder(), table, query).sql
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
        const select = selectSql(builder, table, { evaluated: conditions, columns: undefined, order: [] })
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
    count(name, condition, { atMost, unsaved } = {}) {
      const builder = createBuilder()
      const table = knownTable(schema, name)
      return withUnsavedRows(builder, unsaved, () => {
        const where = withDeadline(builder, [conditionSql(builder, table, condition)]).join(' and ')
        const rows = `${quoted(table.name)} ${ROW} where ${where}`
        const counted =
          atMost === undefined ? rows : `(select 1 from ${rows} limit ${Math.trunc(atMost)}) counted`
        return { sql: `select count(*) from ${counted}`, values: builder.values }
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
  const complete = withInitialValues(table, values)
  const parameters = table.columns.map((column, at) =>
    builder.dialect.castParameter(bind(builder, column, complete[at] ?? null), column),
  )
  return `with ${ROW} (${names}) as (values (${parameters.join(', ')}))`
}
