/** The rows of a table in chunks, one row of JSON on each line. */

import type { CopiedRow, CopiedTable, CopiedValue } from '../../store/copy/copied-table.ts'
import { keyOfRow } from '../../store/copy/copied-table.ts'
import type { CopySide } from '../../store/copy/copy-interfaces.ts'
import { readBatches } from '../../store/copy/row-batch.ts'

const minChunkRows = 32
const maxChunkRows = 2000
/** Characters. */
const maxChunkLength = 1024 * 1024
/** A chunk ends at a row in so many, on average. */
const rowsPerBoundary = 256

/** A chunk and the number of its rows. */
export interface RowChunk {
  readonly content: Uint8Array
  readonly rows: number
}

/**
 * Chunks end where the key of a row says so. An inserted, changed or removed row therefore changes one chunk, and
 * the chunks after it are the same as in earlier backups.
 */
export async function* readChunks(side: CopySide, table: CopiedTable): AsyncGenerator<RowChunk> {
  let lines: string[] = []
  let length = 0
  const take = (): RowChunk => {
    const chunk = { content: Buffer.from(lines.join('')), rows: lines.length }
    lines = []
    length = 0
    return chunk
  }
  for await (const { rows } of readBatches(side, table, undefined)) {
    for (const row of rows) {
      const line = `${JSON.stringify(row.map(toJson))}\n`
      lines.push(line)
      length += line.length
      const isFull = lines.length >= maxChunkRows || length >= maxChunkLength
      if (isFull || (lines.length >= minChunkRows && isBoundary(table, row))) yield take()
    }
  }
  if (lines.length > 0) yield take()
}

/** The rows of a chunk. */
export function parseChunk(content: Uint8Array): readonly CopiedRow[] {
  const lines = Buffer.from(content).toString().split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line).map(fromJson))
}

function toJson(value: CopiedValue): unknown {
  return value instanceof Uint8Array ? { octets: Buffer.from(value).toString('base64') } : value
}

function fromJson(value: string | number | null | { readonly octets: string }): CopiedValue {
  return typeof value === 'object' && value !== null ? Buffer.from(value.octets, 'base64') : value
}

/** FNV-1a of the key. */
function isBoundary(table: CopiedTable, row: CopiedRow): boolean {
  let hash = 0x811c9dc5
  for (const character of String(keyOfRow(table, row).at(-1))) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  }
  return (hash >>> 0) % rowsPerBoundary === 0
}
