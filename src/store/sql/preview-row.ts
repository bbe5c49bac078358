/** Rows that are shown before they are stored: those that no database need be asked about. */

import type { Stored } from '../../definition/model.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Row } from '../row.ts'
import type { Column, Schema, Table } from '../schema/table-schema.ts'
import { knownTable } from './sql-text.ts'

/** The row that `find` would give of the values; undefined where it has something to look up. */
export function previewRow(schema: Schema, name: string, values: Row): Row | undefined {
  const table = knownTable(schema, name)
  if (hasKeys(schema, table)) return undefined
  return table.columns.map((_, at) => shownValue(values[at] ?? null))
}

/** Whether some column refers to what is shown by a key of its own. */
function hasKeys(schema: Schema, table: Table): boolean {
  return keysIn(schema)(table)
}

const keysIn = memoizeByObject((schema: Schema) =>
  memoizeByObject(({ columns }: Table) => columns.some((column) => hasKey(schema, column))),
)

function hasKey(schema: Schema, { references }: Column): boolean {
  if (references === undefined) return false
  return knownTable(schema, references.table).idColumn !== '_identity'
}

/** Decimals are read as text. */
function shownValue(value: Stored): Stored {
  return typeof value === 'bigint' ? String(value) : value
}
