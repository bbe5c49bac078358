/** Reads a whole table in parts, in the order of identities. */

import { IDENTITY } from '../definition/model.ts'
import type { Row } from './row.ts'
import type { Store } from './store.ts'

/** Rows that are read at a time. */
const readLimit = 500

export async function* allRows(store: Store, table: string): AsyncGenerator<Row> {
  let after: readonly [string] | undefined
  for (;;) {
    const rows = await store.list({
      table,
      condition: { kind: 'always' },
      order: [{ column: '_identity', descending: false }],
      after,
      limit: readLimit,
      evaluated: [],
      scan: true,
    })
    yield* rows
    const last = rows.at(-1)
    if (!last) return
    after = [String(last[IDENTITY])]
  }
}
