/** Opening a SQLite store: the place, the lock, the tables, the writer, the reader, in that order. */

import type { Observer } from '../../observation.ts'
import { observeKeptObjects } from '../schema/migration-plan.ts'
import type { Schema } from '../schema/table-schema.ts'
import { StoreOpenError } from '../store.ts'
import { FileCheck } from './connection/file-check.ts'
import { readFileIdentity } from './connection/file-identity.ts'
import { lockDatabaseFile } from './connection/file-lock.ts'
import { type OpenLocation, openLocation, type SqliteLocation } from './connection/location.ts'
import { migrateFile, needsFileCheck } from './schema/migrate-database.ts'
import { toOpenError } from './sqlite-failure.ts'
import { SqliteStore } from './sqlite-store.ts'
import { RemoteWriter } from './write/remote-writer.ts'
import type { WriterAddress } from './write/writer-socket.ts'
import { reportDamage, WriterThread } from './write/writer-thread.ts'

export type SqliteOptions = SqliteLocation & {
  readonly schema: Schema
  readonly observe: Observer
  /** What a list may take, in milliseconds. */
  readonly statementLimit?: number
}

const defaultStatementLimit = 5000

/** Before 3.51.3 two connections could damage a write-ahead log (https://sqlite.org/wal.html). */
const minSqliteVersion = [3, 51, 3] as const

/** Opens the file, made or evolved to fit the schema. Throws StoreOpenError where that cannot be. */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  requireSafeSqlite(process.versions.sqlite)
  const taken: (() => void)[] = []
  const release = () => {
    for (const free of taken.splice(0).reverse()) free()
  }
  try {
    const place = openLocation(options)
    taken.push(place.release)
    if (!place.temporary) taken.push(lockDatabaseFile(place.file))
    return openOnFile(place, options, release)
  } catch (error) {
    release()
    throw toOpenError('file' in options ? options.file : 'file::memory:', error)
  }
}

export interface JoinOptions {
  readonly file: string
  readonly temporary: boolean
  readonly schema: Schema
  readonly observe: Observer
  /** Of the process that has opened the file, by its `share`. */
  readonly writer: WriterAddress
}

/** A store on the file that another process has opened: reads here, and has its writes done there. */
export async function joinSqliteStore(options: JoinOptions): Promise<SqliteStore<RemoteWriter>> {
  const { file, temporary, schema, observe } = options
  const writer = new RemoteWriter(options.writer)
  await writer.connected
  const place = { file, temporary }
  const release = () => undefined
  return new SqliteStore({
    place,
    schema,
    writer,
    release,
    observe,
    limit: defaultStatementLimit,
  })
}

/** Does the work on the file while no service has it. Throws StoreOpenError where one does. */
export function withLockedFile<Result>(
  location: SqliteLocation,
  work: (place: OpenLocation) => Result,
): Result {
  const { place, release } = acquireFile(location)
  try {
    return work(place)
  } catch (error) {
    throw toOpenError('file' in location ? location.file : 'file::memory:', error)
  } finally {
    release()
  }
}

export interface AcquiredFile {
  readonly place: OpenLocation
  release(): void
}

/** Keeps services away from the file until it is released. Throws StoreOpenError where one has it. */
export function acquireFile(location: SqliteLocation): AcquiredFile {
  requireSafeSqlite(process.versions.sqlite)
  try {
    const place = openLocation(location)
    const unlock = place.temporary ? () => undefined : lockDatabaseFile(place.file)
    const release = () => {
      unlock()
      place.release()
    }
    return { place, release }
  } catch (error) {
    throw toOpenError('file' in location ? location.file : 'file::memory:', error)
  }
}

/** Refuses an SQLite that is too old to be trusted with data. */
export function requireSafeSqlite(version: string | undefined): void {
  const numbers = (version ?? '0').split('.').map(Number)
  const differing = minSqliteVersion.findIndex((least, at) => numbers[at] !== least)
  if (differing === -1 || (numbers[differing] ?? 0) > minSqliteVersion[differing]!) return
  const oldest = minSqliteVersion.join('.')
  throw new StoreOpenError(
    `SQLite ${version} may damage data. Use a Node.js that brings ${oldest} or later.`,
  )
}

/** The writer's thread, and the memory it takes, begins with the first write. */
function openOnFile(
  place: OpenLocation,
  { schema, observe, statementLimit: limit = defaultStatementLimit }: SqliteOptions,
  release: () => void,
): SqliteStore {
  const { file, temporary } = place
  const { kept } = migrateFile(place, schema, 'start')
  observeKeptObjects(observe, kept)
  const identity = temporary ? undefined : readFileIdentity(file)
  const writer = new WriterThread({ file, temporary, schema, identity }, observe)
  const onDamage = (finding: string) => reportDamage(writer, finding)
  const check =
    temporary || !needsFileCheck(file) ? undefined : new FileCheck({ file, onDamage, observe })
  const releaseAll = async () => {
    await check?.stop()
    release()
  }
  return new SqliteStore({ place, schema, writer, release: releaseAll, observe, limit })
}
