/** Rows that reads see before they are stored. */

import type { Stored } from '../definition/model.ts'

/**
 * By table and identity: the values of a row in column order, or undefined for a row that the read
 * does not see. A search for words does not see them.
 */
export type UnsavedRows = ReadonlyMap<string, ReadonlyMap<string, readonly Stored[] | undefined>>
