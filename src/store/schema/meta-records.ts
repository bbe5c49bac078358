/** The records of the system table `_meta`: a text under each name. */

import type { Row } from '../row.ts'

/** By name. */
export type MetaRecords = ReadonlyMap<string, string>

/** Selects all records, for `parseRecords`. */
export const recordsSql = 'select "name", "value" from "_meta"'

export function parseRecords(rows: readonly Row[]): MetaRecords {
  return new Map(rows.map(([name, value]) => [String(name), String(value)]))
}
