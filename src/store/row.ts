/** Rows as the store returns them: arrays in column order, or text that the database writes itself. */

import type { Stored } from '../definition/model.ts'

/**
 * The table's columns in order; then, for each reference to a table with a key column of its own,
 * in column order, that key's value; then the answers to the asks, each 0 or 1.
 */
export type Row = readonly Stored[]

/** Members in their order; one whose value is missing is left out with what stands before it. */
export interface RowText {
  readonly members: readonly TextMember[]
  readonly end: string
}

export interface TextMember {
  readonly before: string
  /** Where its value stands in a Row. */
  readonly at: number
  readonly form: TextForm
}

/** As it is; between quotes, for it needs no escape; text as a JSON string; 1 and 0 as JSON has them. */
export type TextForm = 'plain' | 'quoted' | 'escaped' | 'truth'
