/** How large rows are, and how large they can be: what lists are cut by. */

import type { FieldLimits } from '../definition/field-limits.ts'
import type { FieldKind } from '../definition/model.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { Row } from './row.ts'
import type { Column, Table } from './schema/table-schema.ts'
import type { RowQuery } from './store.ts'

/** Octets of all texts in UTF-8, and eight for any other value. */
export function countOctets(row: Row): number {
  let octets = 0
  for (const value of row) octets += typeof value === 'string' ? Buffer.byteLength(value) : 8
  return octets
}

/** Characters of all texts, and eight for any other value: never more than the octets. */
export function countCharacters(row: Row): number {
  let characters = 0
  for (const value of row) characters += typeof value === 'string' ? value.length : 8
  return characters
}

/** Whether the rows have more octets than the bound; looks at each text only where it may matter. */
export function exceedsOctets(rows: readonly Row[], octets: number): boolean {
  let characters = 0
  for (const row of rows) characters += countCharacters(row)
  // A character has at most three octets in UTF-8 for each unit of its text.
  if (characters * 3 <= octets) return false
  return rows.reduce((sum, row) => sum + countOctets(row), 0) > octets
}

/** Octets that a list may load without a look at its rows. */
const room = 16 * 1024 * 1024

/** The bound that the rows of the list must be held against; undefined where they are small enough. */
export function findOctetLimit(table: Table, { limit, octets }: RowQuery): number | undefined {
  return octets === undefined || limit * largestRow(table) <= room ? undefined : octets
}

/** Infinite where nothing bounds a text. */
const largestRow = memoizeByObject((table: Table): number =>
  table.columns.reduce((sum, column) => sum + largestValue(column), 0),
)

/** References come with the key of what they refer to. */
const largestKey = 2000
const largestShort = 1000

function largestValue({ type, references, limits }: Column): number {
  if (type !== 'text') return 32
  if (references) return largestKey
  return limits ? largestText(limits) : largestShort
}

const shortKinds: ReadonlySet<FieldKind> = new Set(['choice', 'state', 'date', 'timestamp', 'uuid'])

function largestText({ kind, schema }: FieldLimits): number {
  if (shortKinds.has(kind)) return largestShort
  const { maxLength } = schema
  return typeof maxLength === 'number' ? 4 * maxLength : Number.POSITIVE_INFINITY
}
