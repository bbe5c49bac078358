/** Restores a backup into an empty database, or in place of a SQLite file. */

import { existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CopyEvent, copyFrom } from '../../store/copy/copy-database.ts'
import { describeDamage, listNamedFiles, type NamedFile } from '../../store/copy/named-files.ts'
import { isIntact } from '../../store/file-content.ts'
import type { FileStore } from '../../store/file-store.ts'
import { isPostgresUrl } from '../../store/postgres/connection/database-url.ts'
import { SqliteConnection } from '../../store/sqlite/connection/connection.ts'
import { createTemporaryFolder, resolveFile } from '../../store/sqlite/connection/database-file.ts'
import { parseSqliteUrl } from '../../store/sqlite/connection/database-url.ts'
import { lockFileName } from '../../store/sqlite/connection/file-lock.ts'
import { findDamage } from '../../store/sqlite/connection/integrity.ts'
import { toOpenError, toStoreUnavailable } from '../../store/sqlite/sqlite-failure.ts'
import { StoreOpenError } from '../../store/store.ts'
import { syncFolder } from '../../tools/durable-folder.ts'
import { restoreFiles } from './backed-up-files.ts'
import type { BackupEncoding } from './backup-encoding.ts'
import { type BackedUpFile, type Backup, readBackup, refused } from './backup-manifest.ts'
import { BackupOrigin } from './backup-origin.ts'
import { locateBackup, type StoredBackup } from './backup-place.ts'
import { DamagedChunk, openChunkStore } from './chunk-store.ts'

export interface RestoreOptions {
  readonly stored: StoredBackup
  readonly encoding: BackupEncoding
  /** Called for each step when it is durable. */
  report(event: CopyEvent): void
  /** Opens the store of files that are restored, before the rows that name them; undefined: they are compared only. */
  readonly openFiles: (() => Promise<FileStore>) | undefined
}

export interface RestoreTarget {
  readonly database: string
  /** `replace`: a SQLite file that exists is overwritten. */
  readonly existing: 'refuse' | 'replace'
}

export interface RestoredBackup {
  readonly backup: Backup
  readonly rows: number
  /** The files that its rows name, and that neither the backup nor the store has, in lines; undefined where there are none. */
  readonly lackingFiles: string | undefined
}

/**
 * Restores the backup and compares every row. Throws a StoreOpenError that names what is wrong; then a
 * SQLite file is as it was.
 */
export async function restoreBackup(
  options: RestoreOptions,
  { database, existing }: RestoreTarget,
): Promise<RestoredBackup> {
  if (isPostgresUrl(database)) {
    if (existing === 'refuse') return restoreInto(options, database)
    throw new StoreOpenError(
      '--force replaces SQLite files only. On PostgreSQL restore into an empty database or ?schema=name, and serve that one.',
    )
  }
  const location = parseSqliteUrl(database)
  if (!('file' in location))
    throw new StoreOpenError('A database in memory ends with the command. Name a file.')
  return restoreFile(options, resolveFile(location.file), existing)
}

/**
 * Restores the backup into a temporary file, compares every row and the digest of every file, and checks the database.
 * Throws a StoreOpenError where the backup is damaged, or lacks a file that its rows name.
 */
export async function verifyBackup(verified: Omit<RestoreOptions, 'openFiles'>): Promise<RestoredBackup> {
  const name = locateBackup(verified.stored)
  const { folder, remove } = createTemporaryFolder()
  try {
    const file = join(folder, 'restwell.db')
    const restored = await restoreInto({ ...verified, openFiles: undefined }, `file:${file}`)
    const damage = checkFile(file)
    if (damage !== undefined) throw refused(name, `restores to a damaged file (${damage})`)
    if (restored.lackingFiles !== undefined) {
      throw new StoreOpenError(
        `The backup ${name} lacks files that its rows name. Choose another one:\n${restored.lackingFiles}`,
      )
    }
    return restored
  } catch (error) {
    const cause = error instanceof StoreOpenError ? error.cause : undefined
    if (cause instanceof DamagedChunk) {
      await openChunkStore(verified.stored.place, verified.encoding).markDamaged(cause.digests)
    }
    throw error
  } finally {
    remove()
  }
}

async function restoreInto(options: RestoreOptions, to: string): Promise<RestoredBackup> {
  const { stored, encoding, report } = options
  const backup = await readBackup(stored, encoding)
  const chunks = openChunkStore(stored.place, encoding)
  const { files = [], schema } = backup
  const name = locateBackup(stored)
  await using origin = new BackupOrigin(name, backup, chunks)
  const named = () => listNamedFiles(origin, schema)
  const lacking = await findLacking(files, named())
  const store = files.length + lacking.size > 0 ? await options.openFiles?.() : undefined
  for (const digest of lacking.keys()) {
    if (store && (await isIntact(store, digest))) lacking.delete(digest)
  }
  await restoreFiles({ name, files }, chunks, store)
  const { rows } = await copyFrom(origin, { to, schema, report })
  return { backup, rows, lackingFiles: await describeDamage(lacking, named()) }
}

/** The content that the rows of a backup name and it does not have, with the reason. */
async function findLacking(
  files: readonly BackedUpFile[],
  named: AsyncIterable<NamedFile>,
): Promise<Map<string, string>> {
  const present = new Set(files.map(({ digest }) => digest))
  const lacking = new Map<string, string>()
  for await (const { digest } of named) if (!present.has(digest)) lacking.set(digest, 'is not in the backup')
  return lacking
}

function checkFile(file: string): string | undefined {
  const connection = new SqliteConnection({ file, use: 'read', temporary: true })
  try {
    return findDamage(connection, 'full')
  } finally {
    connection.close()
  }
}

/** The files that SQLite keeps beside a database. Those of another database would damage it. */
const companions = ['-wal', '-shm', '-journal']

/** The name of the file is locked, so that no service starts on it during the restore. */
async function restoreFile(
  options: RestoreOptions,
  file: string,
  existing: RestoreTarget['existing'],
): Promise<RestoredBackup> {
  const lock = lockFileName(file)
  const partial = `${file}.restoring`
  try {
    if (existing === 'refuse') await requireNoFile(file)
    await removeFiles(partial, ['', '-lock', ...companions])
    const restored = await restoreInto(options, `file:${partial}`)
    foldLog(file)
    await removeFiles(file, companions)
    await syncFolder(dirname(file))
    await rename(partial, file)
    await syncFolder(dirname(file))
    return restored
  } finally {
    await removeFiles(partial, ['', '-lock', ...companions])
    lock.close()
  }
}

/** Puts what is only in the log into the file: a restore that is killed after the log was removed leaves the old state. */
function foldLog(file: string): void {
  if (!existsSync(file) || !companions.some((suffix) => existsSync(file + suffix))) return
  try {
    const connection = new SqliteConnection({ file, use: 'write', temporary: false })
    try {
      connection.query('select 1 from sqlite_schema limit 1')
      if (!connection.truncateWal()) throw new StoreOpenError(`Another program reads ${file}. Stop it first.`)
    } finally {
      connection.close()
    }
  } catch (error) {
    // A damaged file has no state to keep.
    if (toStoreUnavailable(error)?.reason !== 'damaged') throw toOpenError(file, error)
  }
}

async function requireNoFile(file: string): Promise<void> {
  for (const path of [file, ...companions.map((suffix) => file + suffix)]) {
    if (!existsSync(path) || (await stat(path)).size === 0) continue
    const remedy = 'Name another one with --database, or overwrite it with --force.'
    throw new StoreOpenError(`The file ${path} exists already. ${remedy}`)
  }
}

async function removeFiles(file: string, suffixes: readonly string[]): Promise<void> {
  for (const suffix of suffixes) await rm(file + suffix, { force: true })
}
