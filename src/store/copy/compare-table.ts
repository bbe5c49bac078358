/** Compares a copied table with its origin, row by row, and computes a checksum. */

import { createHash } from 'node:crypto'
import { StoreOpenError } from '../store.ts'
import { type CopiedRow, type CopiedTable, keyOfRow } from './copied-table.ts'
import type { CopySide } from './copy-interfaces.ts'
import { readBatches } from './row-batch.ts'

export interface TableChecksum {
  readonly rows: number
  /** SHA-256 of the rows in key order, in hexadecimal. */
  readonly checksum: string
}

/** The checksum of both. Throws StoreOpenError with the first row that differs. */
export async function compareTable(
  origin: CopySide,
  destination: CopySide,
  table: CopiedTable,
): Promise<TableChecksum> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const batch of readBatches(origin, table, undefined)) {
    const theirs = await destination.rows(table, batch.after, batch.limit)
    for (const text of requireEqualRows(table, batch.rows, theirs)) hash.update(`${text}\n`)
    rows += batch.rows.length
  }
  return { rows, checksum: hash.digest('hex') }
}

function requireEqualRows(
  table: CopiedTable,
  ours: readonly CopiedRow[],
  theirs: readonly CopiedRow[],
): readonly string[] {
  const texts = ours.map(formatRow)
  const at = texts.findIndex((text, n) => theirs[n] === undefined || text !== formatRow(theirs[n]))
  const differing = at === -1 ? theirs[texts.length] : ours[at]
  if (differing === undefined) return texts
  const name = JSON.stringify(keyOfRow(table, differing))
  throw new StoreOpenError(
    `The copy is wrong: ${table.name} differs at ${name}. Empty the destination and start again.`,
  )
}

/** The row as text, equal for equal values of both databases. */
export function formatRow(row: CopiedRow): string {
  const plain = row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value))
  return JSON.stringify(plain)
}
