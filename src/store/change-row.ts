/** An entry of the change log, as both drivers select its columns. */

import type { Change, Row } from './store.ts'

export function changeOfRow([position, kind, table, identity, id, version, at]: Row): Change {
  return {
    position: Number(position),
    kind: kind as Change['kind'],
    table: String(table),
    identity: String(identity),
    id: String(id),
    version: Number(version),
    at: String(at),
  }
}
