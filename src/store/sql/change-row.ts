/** Parses rows of the change log. */

import type { Row } from '../row.ts'
import type { ChangeLogEntry } from '../store.ts'

/** The entry of a row with the columns that both drivers select. */
export function parseChangeRow([position, kind, table, identity, id, version, at]: Row): ChangeLogEntry {
  return {
    position: Number(position),
    kind: kind as ChangeLogEntry['kind'],
    table: String(table),
    identity: String(identity),
    id: String(id),
    version: Number(version),
    at: String(at),
  }
}
