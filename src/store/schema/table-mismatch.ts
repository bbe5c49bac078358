/** Whether the tables of a database can be served with a definition. */

import { StoreUnavailable } from '../store.ts'
import {
  isJoinTableRecordSql,
  type JoinTable,
  parseJoinTables,
  type RefsColumn,
  refsColumnsOf,
} from './join-table-schema.ts'
import { type MetaRecords, recordsSql } from './meta-records.ts'
import type { PresentColumn, PresentTable, PresentTables } from './present-tables.ts'
import { formatSearchColumns, isSearchRecordSql, parseSearchColumns } from './search-records.ts'
import type { Column, Schema, Table } from './table-schema.ts'
import { hasUniqueIndex } from './unique-sets.ts'

/** Selects the records of full-text indexes and join tables, for `parseRecords`. */
export const derivedTablesSql = `${recordsSql} where ${isSearchRecordSql} or ${isJoinTableRecordSql}`

/** The full-text indexes and join tables in the records of `_meta`. */
export function parseDerivedTables(records: MetaRecords): DerivedTables {
  return { searches: parseSearchColumns(records), joinTables: parseJoinTables(records) }
}

export interface DerivedTables {
  /** By table: the columns of its full-text index. */
  readonly searches: ReadonlyMap<string, string>
  readonly joinTables: readonly JoinTable[]
}

export interface ActualTables extends DerivedTables {
  readonly tables: PresentTables
  /** The database's name for the type of a column. */
  typeOf(column: Column): string
}

/**
 * The first difference that prevents serving the definition, such as `column books.pages is
 * missing`; undefined where there is none. Additional columns are allowed unless every insert must
 * set them: a node with a newer definition may have added them.
 */
export function findMismatch(schema: Schema, actual: ActualTables): string | undefined {
  for (const table of Object.values(schema.tables)) {
    const now = actual.tables.get(table.name)
    if (now === undefined) return `table ${table.name} is missing`
    const mismatch = tableMismatch(table, now, actual)
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

/** Throws StoreUnavailable (`unfit`) where the tables cannot be served with the definition. */
export function requireMatchingTables(schema: Schema, actual: ActualTables): void {
  const mismatch = findMismatch(schema, actual)
  if (mismatch === undefined) return
  throw new StoreUnavailable('unfit', `The tables do not fit the definition: ${mismatch}.`)
}

function tableMismatch(table: Table, now: PresentTable, actual: ActualTables): string | undefined {
  for (const column of table.columns) {
    const reason = columnMismatch(column, now, actual)
    if (reason !== undefined) return `column ${table.name}.${column.name} ${reason}`
  }
  const unjoined = refsColumnsOf(table).find((column) => !hasJoinTable(table, column, actual))
  if (unjoined !== undefined) return `column ${table.name}.${unjoined.name} refers to another table`
  const repeatable = table.uniqueSets.find((names) => !hasUniqueIndex(now, names))
  if (repeatable !== undefined) {
    return `table ${table.name} has no unique index on ${repeatable.join(', ')}`
  }
  const needed = [...now.columns.values()].find((column) => blocksInserts(table, column))
  if (needed !== undefined) return `column ${table.name}.${needed.name} is required`
  if (actual.searches.get(table.name) === formatSearchColumns(table)) return undefined
  return `table ${table.name} is not searched by the same fields`
}

function hasJoinTable(
  table: Table,
  { name, elements }: RefsColumn,
  { joinTables }: Pick<ActualTables, 'joinTables'>,
): boolean {
  return joinTables.some(
    (one) => one.table === table.name && one.column === name && one.target === elements.table,
  )
}

/** Whether no row can be inserted without the column, which the definition does not have. */
export function blocksInserts(table: Table, { name, required, hasDefault }: PresentColumn): boolean {
  return required && !hasDefault && !table.columns.some((column) => column.name === name)
}

function columnMismatch(
  column: Column,
  now: PresentTable,
  { typeOf }: Pick<ActualTables, 'typeOf'>,
): string | undefined {
  const is = now.columns.get(column.name)
  if (is === undefined) return 'is missing'
  if (is.type !== typeOf(column)) return `is of type ${is.type}`
  if (is.required !== column.required) return is.required ? 'is required' : 'may be absent'
  if (is.references?.table !== column.references?.table) return 'refers to another table'
  const unique = column.unique && column.name !== '_identity'
  const indexed = hasUniqueIndex(now, [column.name])
  return unique && !indexed ? 'is not unique' : undefined
}
