/** Rows as the store returns them: arrays in column order. */

import { type Stored, VERSION } from '../definition/model.ts'

/**
 * The values of the table's columns in order; then the key of the target of each reference to a
 * table with a key column; then the results of the evaluated conditions, each 0 or 1; then the values
 * of the terms of the order that go through references.
 */
export type Row = readonly Stored[]

export function versionOf(row: Row): number {
  return row[VERSION] as number
}
