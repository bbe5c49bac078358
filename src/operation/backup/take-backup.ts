/**
 * Takes a backup of a database that may be in use: one consistent state of it. It reads all rows. Revisions and
 * positions of the log repeat after a restore, so they do not prove that rows are unchanged.
 */

import { listCopiedTables } from '../../store/copy/copied-table.ts'
import { describeDamage, listNamedFiles } from '../../store/copy/named-files.ts'
import { openSnapshot } from '../../store/copy/open-snapshot.ts'
import type { Snapshot } from '../../store/copy/snapshot.ts'
import type { Schema } from '../../store/schema/table-schema.ts'
import { type BackedUpStore, storeFiles } from './backed-up-files.ts'
import type { BackupEncoding } from './backup-encoding.ts'
import { listBackups } from './backup-list.ts'
import {
  type BackedUpFile,
  type BackedUpTable,
  type Backup,
  findBackup,
  writeBackup,
} from './backup-manifest.ts'
import type { BackupPlace, StoredBackup } from './backup-place.ts'
import { type ChunkStore, openChunkStore } from './chunk-store.ts'
import { readChunks } from './row-chunks.ts'

export interface BackupOptions {
  readonly database: string
  readonly schema: Schema
  readonly place: BackupPlace
  readonly encoding: BackupEncoding
  /** The content of files; undefined where the definition has none. */
  readonly files?: BackedUpStore | undefined
}

export interface TakenBackup extends StoredBackup {
  readonly backup: Backup
  readonly rows: number
  readonly omitted: readonly string[]
  /** The files that are damaged or missing, in lines; undefined where there are none. */
  readonly damagedFiles: string | undefined
}

/** Chunks that are written at the same time: each takes a bucket some time, and the snapshot should be short. */
const concurrentWrites = 8

/** Throws a StoreOpenError where the database cannot be read. The place must be locked. */
export async function takeBackup(options: BackupOptions): Promise<TakenBackup> {
  const { database, schema, place, encoding } = options
  await place.removePartial()
  // Before the snapshot, so that it has everything that was committed by then.
  const at = new Date().toISOString()
  await using snapshot = await openSnapshot(database, schema)
  const chunks = openChunkStore(place, encoding)
  const tables: BackedUpTable[] = []
  for (const table of listCopiedTables(schema)) {
    tables.push({ name: table.name, ...(await storeTable(snapshot, chunks, table)) })
  }
  const counters = await snapshot.counters()
  // After the snapshot, so that it has every file that its rows name.
  const named = () => listNamedFiles(snapshot, schema)
  const stored =
    options.files &&
    (await storeFiles({ store: options.files, chunks, earlier: await earlierFiles(options), named: named() }))
  const damagedFiles = stored && (await describeDamage(stored.damage, named()))
  const backup: Backup = { at, schema, counters, tables, ...(stored ? { files: stored.files } : {}) }
  const name = await writeBackup(place, backup, encoding)
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return { place, name, backup, rows, omitted: snapshot.omitted, damagedFiles }
}

/** The files of the newest backup; none where it cannot be read. */
async function earlierFiles({ place, encoding }: BackupOptions): Promise<readonly BackedUpFile[]> {
  const newest = (await listBackups(place)).at(-1)
  const backup = newest && (await findBackup(newest, encoding))
  return backup?.files ?? []
}

async function storeTable(
  snapshot: Snapshot,
  chunks: ChunkStore,
  table: Parameters<typeof readChunks>[1],
): Promise<Pick<BackedUpTable, 'rows' | 'chunks'>> {
  const digests: string[] = []
  let rows = 0
  let read: Uint8Array[] = []
  for await (const chunk of readChunks(snapshot, table)) {
    rows += chunk.rows
    read.push(chunk.content)
    if (read.length < concurrentWrites) continue
    digests.push(...(await writeAll(chunks, read)))
    read = []
  }
  digests.push(...(await writeAll(chunks, read)))
  return { rows, chunks: digests }
}

/** Waits for all writes, so that none is under way after a failure. */
async function writeAll(chunks: ChunkStore, contents: readonly Uint8Array[]): Promise<readonly string[]> {
  const outcomes = await Promise.allSettled(contents.map((content) => chunks.write(content)))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}
