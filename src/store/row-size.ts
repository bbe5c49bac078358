/** The size of rows, and the largest size that a table allows: lists end by their octets. */

import type { FieldLimits } from '../definition/field-limits.ts'
import type { JsonSchema } from '../definition/value-types.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { Row } from './row.ts'
import type { Column, Table } from './schema/table-schema.ts'
import type { RowQuery } from './store.ts'

/** Counts the octets of all texts in UTF-8, and eight for any other value. */
export function countOctets(row: Row): number {
  let octets = 0
  for (const value of row) octets += typeof value === 'string' ? Buffer.byteLength(value) : 8
  return octets
}

/** Counts UTF-16 units of all texts, and eight for any other value: at most `countOctets`. */
export function countCharacters(row: Row): number {
  let characters = 0
  for (const value of row) characters += typeof value === 'string' ? value.length : 8
  return characters
}

/** Whether the rows have more octets than the limit. Encodes texts only where it may matter. */
export function exceedsOctets(rows: readonly Row[], octets: number): boolean {
  let characters = 0
  for (const row of rows) characters += countCharacters(row)
  // A UTF-16 unit takes at most three octets in UTF-8.
  if (characters * 3 <= octets) return false
  return rows.reduce((sum, row) => sum + countOctets(row), 0) > octets
}

/** Octets that a list may load without a check of its rows. */
const maxUncheckedOctets = 16 * 1024 * 1024

/** The limit to check the rows of the list against; undefined where no row can be that large. */
export function findOctetLimit(table: Table, { limit, octets }: RowQuery): number | undefined {
  return octets === undefined || limit * largestRow(table) <= maxUncheckedOctets ? undefined : octets
}

/** Infinite where a text has no maximum length. */
const largestRow = memoizeByObject((table: Table): number =>
  table.columns.reduce((sum, column) => sum + largestValue(column), 0),
)

/** A reference, and each of a set of references, is read together with the key of its target. */
const largestKey = 2000
const largestShort = 1000

function largestValue({ type, references, uncheckedReference, elements, limits }: Column): number {
  if (type !== 'text') return 32
  if (references || uncheckedReference !== undefined) return largestKey
  if (elements) return largestKey * Number(limits?.schema.maxItems ?? Number.POSITIVE_INFINITY)
  return limits ? largestText(limits) : largestShort
}

function largestText({ kind, schema }: FieldLimits): number {
  if (kind.encoding === 'quoted' || kind.choices !== 'none') return largestShort
  const { maxLength, maxItems, items } = schema
  if (typeof maxLength === 'number') return 4 * maxLength
  // A list is stored as JSON: at most six octets for a character, and quotes and a comma for an item.
  const item = items as JsonSchema | undefined
  return Number(maxItems ?? Infinity) * (6 * Number(item?.maxLength ?? Infinity) + 3)
}
