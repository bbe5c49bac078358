/** Builds a row that is not stored yet without a query, where that is possible. */

import type { Stored } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Row } from '../row.ts'
import { type Column, type Schema, type Table, withInitialValues } from '../schema/table-schema.ts'
import { knownTable } from './sql-text.ts'

/** The row that `find` would return for the values; undefined where a key must be looked up. */
export function previewRow(schema: Schema, name: string, values: Row): Row | undefined {
  const table = knownTable(schema, name)
  if (hasKeys(schema, table)) return undefined
  const complete = withInitialValues(table, values)
  return table.columns.map((_, at) => decimalAsText(complete[at] ?? null))
}

/** Whether a column refers to a table with a key field. */
function hasKeys(schema: Schema, table: Table): boolean {
  return keysIn(schema)(table)
}

const keysIn = memoizeByObject((schema: Schema) =>
  memoizeByObject(({ columns }: Table) => columns.some((column) => hasKey(schema, column))),
)

function hasKey(schema: Schema, { references, elements }: Column): boolean {
  const reference = references ?? elements
  if (reference === undefined) return false
  return knownTable(schema, reference.table).idColumn !== '_identity'
}

/** Decimals are read as text. */
function decimalAsText(value: Stored): Stored {
  return typeof value === 'bigint' ? String(value) : value
}
