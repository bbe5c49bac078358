/** Opens SQLite stores: locks the file, migrates it, then starts the writer and the readers. */

import type { Observer } from '../../observation.ts'
import { observeKeptObjects } from '../schema/migration-plan.ts'
import type { Schema } from '../schema/table-schema.ts'
import { StoreOpenError } from '../store.ts'
import { type DatabaseFile, openDatabaseFile } from './connection/database-file.ts'
import type { SqliteDatabaseUrl } from './connection/database-url.ts'
import { FileCheck } from './connection/file-check.ts'
import { readFileIdentity } from './connection/file-identity.ts'
import { lockDatabaseFile } from './connection/file-lock.ts'
import { keepReserve, withReserve } from './connection/start-reserve.ts'
import { migrateFile, needsFileCheck } from './schema/migrate-database.ts'
import { toOpenError } from './sqlite-failure.ts'
import { SqliteStore } from './sqlite-store.ts'
import { RemoteWriter } from './write/remote-writer.ts'
import type { WriterAddress } from './write/writer-socket.ts'
import { reportDamage, WriterThread } from './write/writer-thread.ts'

export type SqliteOptions = SqliteDatabaseUrl & {
  readonly schema: Schema
  readonly observe: Observer
  /** The time limit of a list query in milliseconds. */
  readonly statementLimit?: number
  /** The keys that encrypt the secrets; by default none. */
  readonly secretKeys?: readonly Uint8Array[] | undefined
}

const defaultStatementLimit = 5000

/** Before 3.51.3 two connections could damage a write-ahead log (https://sqlite.org/wal.html). */
const minSqliteVersion = [3, 51, 3] as const

/** Opens the file, created or migrated to the schema. Throws StoreOpenError where that fails. */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  const { databaseFile, release } = acquireFile(options)
  try {
    return openOnFile(databaseFile, options, release)
  } catch (error) {
    release()
    throw toOpenError(displayName(options), error)
  }
}

export interface JoinOptions {
  readonly file: string
  readonly temporary: boolean
  readonly schema: Schema
  readonly observe: Observer
  /** The writer of the process that has opened the file. */
  readonly writer: WriterAddress
  readonly secretKeys?: readonly Uint8Array[] | undefined
}

/** A store on a file that another process has opened: it reads here and sends writes to that process. */
export async function openSharedSqliteStore(options: JoinOptions): Promise<SqliteStore<RemoteWriter>> {
  const { file, temporary, schema, observe, secretKeys } = options
  const writer = new RemoteWriter(options.writer)
  await writer.connected
  const limit = defaultStatementLimit
  const release = () => undefined
  const databaseFile = { file, temporary }
  return new SqliteStore({ databaseFile, schema, writer, release, observe, limit, secretKeys })
}

/** Runs the work with the file locked. Throws StoreOpenError where a service has it open. */
export function withLockedFile<Result>(
  location: SqliteDatabaseUrl,
  work: (databaseFile: DatabaseFile) => Result,
): Result {
  const { databaseFile, release } = acquireFile(location)
  try {
    return work(databaseFile)
  } catch (error) {
    throw toOpenError(displayName(location), error)
  } finally {
    release()
  }
}

export interface AcquiredFile {
  readonly databaseFile: DatabaseFile
  release(): void
}

/** Locks the file until it is released. Throws StoreOpenError where a service has it open. */
export function acquireFile(location: SqliteDatabaseUrl): AcquiredFile {
  requireSafeSqlite(process.versions.sqlite)
  try {
    const databaseFile = openDatabaseFile(location)
    const unlock = databaseFile.temporary
      ? () => undefined
      : withReserve(databaseFile.file, () => lockDatabaseFile(databaseFile.file))
    const release = () => {
      unlock()
      databaseFile.release()
    }
    return { databaseFile, release }
  } catch (error) {
    throw toOpenError(displayName(location), error)
  }
}

function displayName(location: SqliteDatabaseUrl): string {
  return 'file' in location ? location.file : 'file::memory:'
}

/** Throws StoreOpenError for a version of SQLite that may damage data. */
export function requireSafeSqlite(version: string | undefined): void {
  const numbers = (version ?? '0').split('.').map(Number)
  const differing = minSqliteVersion.findIndex((minimum, at) => numbers[at] !== minimum)
  if (differing === -1 || (numbers[differing] ?? 0) > minSqliteVersion[differing]!) return
  const required = minSqliteVersion.join('.')
  throw new StoreOpenError(
    `SQLite ${version} may damage data. Use a Node.js that brings ${required} or later.`,
  )
}

/** The writer thread starts with the first write, which saves memory until then. */
function openOnFile(
  databaseFile: DatabaseFile,
  { schema, observe, statementLimit: limit = defaultStatementLimit, secretKeys }: SqliteOptions,
  release: () => void,
): SqliteStore {
  const { file, temporary } = databaseFile
  const { kept, setBackTo: position } = migrateFile(databaseFile, schema, 'start')
  observeKeptObjects(observe, kept)
  if (position !== undefined) observe({ kind: 'database-set-back', position })
  if (!temporary) keepReserve(file)
  const fileIdentity = temporary ? undefined : readFileIdentity(file)
  const writer = new WriterThread({ file, temporary, schema, fileIdentity }, observe)
  const onDamage = (finding: string) => void reportDamage(writer, { finding, foundBy: 'check' })
  const check = temporary || !needsFileCheck(file) ? undefined : new FileCheck({ file, onDamage, observe })
  const releaseAll = async () => {
    await check?.stop()
    release()
  }
  return new SqliteStore({ databaseFile, schema, writer, release: releaseAll, observe, limit, secretKeys })
}
