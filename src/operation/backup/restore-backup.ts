/** Restores a backup into an empty database, or in place of a SQLite file. */

import { existsSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type CopyEvent, copyFrom } from '../../store/copy/copy-database.ts'
import { isPostgresUrl } from '../../store/postgres/connection/database-url.ts'
import { SqliteConnection } from '../../store/sqlite/connection/connection.ts'
import { createTemporaryFolder, resolveFile } from '../../store/sqlite/connection/database-file.ts'
import { parseSqliteUrl } from '../../store/sqlite/connection/database-url.ts'
import { lockFileName } from '../../store/sqlite/connection/file-lock.ts'
import { findDamage } from '../../store/sqlite/connection/integrity.ts'
import { StoreOpenError } from '../../store/store.ts'
import { verifyFiles } from './backed-up-files.ts'
import type { BackupEncoding } from './backup-encoding.ts'
import { type Backup, readBackup, refused } from './backup-manifest.ts'
import { BackupOrigin } from './backup-origin.ts'
import { locateBackup, type StoredBackup } from './backup-place.ts'
import { type ChunkStore, DamagedChunk, openChunkStore } from './chunk-store.ts'
import { syncFolder } from './durable-file.ts'

export interface RestoreOptions {
  readonly stored: StoredBackup
  readonly encoding: BackupEncoding
  /** Called for each step when it is durable. */
  report(event: CopyEvent): void
  /** Restores the content of files, before the rows that name it; not called for a backup without files. */
  restoreFiles(backup: Backup, chunks: ChunkStore): Promise<void>
}

export interface RestoreTarget {
  readonly database: string
  /** `replace`: a SQLite file that exists is overwritten. */
  readonly existing: 'refuse' | 'replace'
}

export interface RestoredBackup {
  readonly backup: Backup
  readonly rows: number
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

/** Restores the backup into a temporary file, compares every row and the digest of every file, and checks the database. */
export async function verifyBackup(verified: Omit<RestoreOptions, 'restoreFiles'>): Promise<RestoredBackup> {
  const name = locateBackup(verified.stored)
  const options: RestoreOptions = {
    ...verified,
    restoreFiles: (backup, chunks) => verifyFiles(name, backup, chunks),
  }
  const { folder, remove } = createTemporaryFolder()
  try {
    const file = join(folder, 'restwell.db')
    const restored = await restoreInto(options, `file:${file}`)
    const damage = checkFile(file)
    if (damage !== undefined) throw refused(name, `restores to a damaged file (${damage})`)
    return restored
  } catch (error) {
    const cause = error instanceof StoreOpenError ? error.cause : undefined
    if (cause instanceof DamagedChunk) {
      await openChunkStore(verified.stored.place, verified.encoding).markDamaged(cause.digest)
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
  if (backup.files?.length) await options.restoreFiles(backup, chunks)
  await using origin = new BackupOrigin(locateBackup(stored), backup, chunks)
  const { rows } = await copyFrom(origin, { to, schema: backup.schema, report })
  return { backup, rows }
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
    await removeFiles(file, companions)
    await rename(partial, file)
    await syncFolder(dirname(file))
    return restored
  } finally {
    await removeFiles(partial, ['', '-lock', ...companions])
    lock.close()
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
