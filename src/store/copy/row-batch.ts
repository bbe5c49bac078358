/** Reads the rows of a table in batches that fit into memory. */

import { type CopiedRow, type CopiedTable, keyOfRow } from './copied-table.ts'
import type { CopySide, RowKey } from './copy-interfaces.ts'

export interface RowBatch {
  /** The key before its first row. */
  readonly after: RowKey | undefined
  readonly limit: number
  readonly rows: readonly CopiedRow[]
  readonly last: boolean
}

const firstBatchRows = 100
const maxBatchRows = 1000
/** The intended size of a batch in characters and octets. */
const batchSize = 4 * 1024 * 1024

/** Yields at least one batch, which is empty for an empty table. */
export async function* readBatches(
  side: CopySide,
  table: CopiedTable,
  from: RowKey | undefined,
): AsyncGenerator<RowBatch, void, undefined> {
  let after = from
  let limit = firstBatchRows
  for (;;) {
    const rows = await side.rows(table, after, limit)
    const final = rows.at(-1)
    const last = rows.length < limit || final === undefined
    yield { after, limit, rows, last }
    if (last) return
    after = keyOfRow(table, final)
    limit = nextBatchRows(rows)
  }
}

function nextBatchRows(rows: readonly CopiedRow[]): number {
  const size = rows.reduce((sum, row) => sum + rowSize(row), 0)
  const fitting = Math.floor((batchSize * rows.length) / Math.max(size, 1))
  return Math.max(1, Math.min(maxBatchRows, fitting))
}

function rowSize(row: CopiedRow): number {
  return row.reduce<number>((sum, value) => {
    const long = typeof value === 'string' || value instanceof Uint8Array
    return sum + (long ? value.length : 8)
  }, 0)
}
