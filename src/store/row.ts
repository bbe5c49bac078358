/** Rows as the store returns them: arrays in column order, or text that the database builds. */

import { type Stored, VERSION } from '../definition/model.ts'

/**
 * The values of the table's columns in order; then the key of the target of each reference to a
 * table with a key column; then the results of the evaluated conditions, each 0 or 1; then the values
 * of the terms of the order that go through references.
 */
export type Row = readonly Stored[]

/** A row as one text: its members in order. A missing value is omitted with the text before it. */
export interface RowText {
  readonly members: readonly TextMember[]
  readonly end: string
}

export interface TextMember {
  readonly before: string
  /** The index of its value in a Row. */
  readonly rowIndex: number
  readonly encoding: TextEncoding
}

/** Unchanged; in quotes without escapes; as a JSON string; 1 and 0 as `true` and `false`. */
export type TextEncoding = 'plain' | 'quoted' | 'escaped' | 'boolean'

export function versionOf(row: Row): number {
  return row[VERSION] as number
}
