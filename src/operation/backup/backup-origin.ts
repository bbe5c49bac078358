/** A backup as the origin of a copy, so that a restore is a copy into an empty database. */

import { type CopiedRow, type CopiedTable, keyOfRow } from '../../store/copy/copied-table.ts'
import type { CopyCounters, CopyOrigin, RowKey } from '../../store/copy/copy-interfaces.ts'
import { type BackedUpTable, type Backup, refused } from './backup-manifest.ts'
import { type ChunkStore, DamagedChunk } from './chunk-store.ts'
import { parseChunk } from './row-chunks.ts'

/** Where the last read of a table ended. */
interface ReadPosition {
  readonly table: string
  readonly after: string
  /** Rows that are loaded and not read yet. */
  readonly rest: readonly CopiedRow[]
  /** How many chunks are loaded. */
  readonly chunks: number
}

export class BackupOrigin implements CopyOrigin {
  readonly displayName: string
  readonly #backup: Backup
  readonly #chunks: ChunkStore
  #position: ReadPosition | undefined

  constructor(file: string, backup: Backup, chunks: ChunkStore) {
    this.displayName = file
    this.#backup = backup
    this.#chunks = chunks
  }

  /** Reads in key order continue where the last one ended; others begin with the first chunk. */
  async rows(table: CopiedTable, after: RowKey | undefined, limit: number): Promise<readonly CopiedRow[]> {
    const { chunks } = this.#table(table)
    const key = JSON.stringify(after)
    const last = this.#position
    const isNext = last?.table === table.name && last.after === key && after !== undefined
    let rest = isNext ? last.rest : []
    let loaded = isNext ? last.chunks : 0
    let isReached = isNext || after === undefined
    while (rest.length < limit && loaded < chunks.length) {
      const more = await this.#read(chunks[loaded] as string)
      loaded += 1
      const at = isReached ? 0 : more.findIndex((row) => JSON.stringify(keyOfRow(table, row)) === key) + 1
      if (!isReached && at === 0) continue
      isReached = true
      rest = [...rest, ...more.slice(at)]
    }
    const rows = rest.slice(0, limit)
    const end = rows.at(-1)
    const position = end ? JSON.stringify(keyOfRow(table, end)) : key
    this.#position = { table: table.name, after: position, rest: rest.slice(limit), chunks: loaded }
    return rows
  }

  count(table: CopiedTable): number {
    return this.#table(table).rows
  }

  counters(): CopyCounters {
    return this.#backup.counters
  }

  #table({ name }: CopiedTable): BackedUpTable {
    const found = this.#backup.tables.find((table) => table.name === name)
    if (!found)
      throw refused(this.displayName, `is damaged: the table ${name} is missing. Choose another one`)
    return found
  }

  async #read(digest: string): Promise<readonly CopiedRow[]> {
    try {
      return parseChunk(await this.#chunks.read(digest))
    } catch (error) {
      if (!(error instanceof DamagedChunk)) throw error
      throw refused(this.displayName, `is damaged: ${error.message}. Choose another one`, error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
