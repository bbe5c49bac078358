/** Whether the tables of a database can be served with a definition. */

import { StoreUnavailable } from '../store.ts'
import type { PresentColumn, PresentTable, PresentTables } from './present-tables.ts'
import { formatSearchColumns } from './search-records.ts'
import type { Column, Schema, Table } from './table-schema.ts'

export interface ActualTables {
  readonly tables: PresentTables
  /** By table: the columns that its full-text index was made of, as `_meta` keeps them. */
  readonly searches: ReadonlyMap<string, string>
  /** What the database calls the type of a column. */
  typeOf(column: Column): string
}

/**
 * The first thing that keeps the definition from being served, such as `column books.pages is
 * missing`; undefined where the tables fit. More columns than the definition has do fit, as long as
 * rows can be created without them: a node with a newer definition may have added them.
 */
export function findMismatch(schema: Schema, fitting: ActualTables): string | undefined {
  for (const table of Object.values(schema.tables)) {
    const now = fitting.tables.get(table.name)
    if (now === undefined) return `table ${table.name} is missing`
    const misfit = tableMisfit(table, now, fitting)
    if (misfit !== undefined) return misfit
  }
  return undefined
}

/** Throws StoreUnavailable (`unfit`) where the tables cannot be served with the definition. */
export function requireMatchingTables(schema: Schema, fitting: ActualTables): void {
  const misfit = findMismatch(schema, fitting)
  if (misfit === undefined) return
  throw new StoreUnavailable('unfit', `The tables do not fit the definition: ${misfit}.`)
}

function tableMisfit(table: Table, now: PresentTable, fitting: ActualTables): string | undefined {
  for (const column of table.columns) {
    const reason = columnMisfit(column, now, fitting)
    if (reason !== undefined) return `column ${table.name}.${column.name} ${reason}`
  }
  const needed = [...now.columns.values()].find((column) => blocksInserts(table, column))
  if (needed !== undefined) return `column ${table.name}.${needed.name} is required`
  if (fitting.searches.get(table.name) === formatSearchColumns(table)) return undefined
  return `table ${table.name} is not searched by the same fields`
}

/** No row can be made without it by a definition that does not know it. */
export function blocksInserts(
  table: Table,
  { name, required, hasDefault }: PresentColumn,
): boolean {
  return required && !hasDefault && !table.columns.some((column) => column.name === name)
}

function columnMisfit(
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
  const indexed = now.indexes.some(
    ({ unique: one, columns }) => one && columns.length === 1 && columns[0] === column.name,
  )
  return unique && !indexed ? 'is not unique' : undefined
}
