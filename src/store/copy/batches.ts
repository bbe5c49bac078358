/** The rows of a table a batch at a time, each small enough to be held in memory. */

import { type CopiedRow, type CopiedTable, keyOf } from './copied-table.ts'
import type { CopyEnd, Key } from './copy-end.ts'

export interface RowBatch {
  /** The key before its first row. */
  readonly after: Key | undefined
  readonly limit: number
  readonly rows: readonly CopiedRow[]
  readonly last: boolean
}

const FIRST_ROWS = 100
const MOST_ROWS = 1000
/** Characters and octets of a batch: as many rows are read as are likely to have so many. */
const SIZE = 4 * 1024 * 1024

/** There is always one: of an empty table it has no rows. */
export async function* batchesOf(
  end: CopyEnd,
  table: CopiedTable,
  from: Key | undefined,
): AsyncGenerator<RowBatch, void, undefined> {
  let after = from
  let limit = FIRST_ROWS
  for (;;) {
    const rows = await end.rows(table, after, limit)
    const final = rows.at(-1)
    const last = rows.length < limit || final === undefined
    yield { after, limit, rows, last }
    if (last) return
    after = keyOf(table, final)
    limit = fittingRows(rows)
  }
}

function fittingRows(rows: readonly CopiedRow[]): number {
  const size = rows.reduce((sum, row) => sum + sizeOf(row), 0)
  const fitting = Math.floor((SIZE * rows.length) / Math.max(size, 1))
  return Math.max(1, Math.min(MOST_ROWS, fitting))
}

function sizeOf(row: CopiedRow): number {
  return row.reduce<number>((sum, value) => {
    const long = typeof value === 'string' || value instanceof Uint8Array
    return sum + (long ? value.length : 8)
  }, 0)
}
