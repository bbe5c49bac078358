/** Opening a SQLite store: the place, the lock, the tables, the writer, the reader, in that order. */

import type { Notice } from '../../http/happening.ts'
import { noticeKept } from '../migration.ts'
import type { Schema } from '../schema.ts'
import { StoreFault } from '../store.ts'
import { evolve, needsFileCheck } from './evolution.ts'
import { faultAt } from './failure.ts'
import { FileCheck } from './file-check.ts'
import { identityOf } from './file-identity.ts'
import { type Place, type SqliteLocation, settle } from './location.ts'
import { lock } from './lock.ts'
import { RemoteWriter } from './remote-writer.ts'
import type { WriterAddress } from './sharing.ts'
import { SqliteStore } from './sqlite-store.ts'
import { reportDamage, WriterThread } from './writer-thread.ts'

export type SqliteOptions = SqliteLocation & {
  readonly schema: Schema
  readonly notice: Notice
  /** What a list may take, in milliseconds. */
  readonly statementLimit?: number
}

const STATEMENT_LIMIT = 5000

/** Before 3.51.3 two connections could damage a write-ahead log (https://sqlite.org/wal.html). */
const OLDEST_SQLITE = [3, 51, 3] as const

/** Opens the file, made or evolved to fit the schema. Throws StoreFault where that cannot be. */
export async function openSqliteStore(options: SqliteOptions): Promise<SqliteStore> {
  allowVersion(process.versions.sqlite)
  const taken: (() => void)[] = []
  const release = () => {
    for (const free of taken.splice(0).reverse()) free()
  }
  try {
    const place = settle(options)
    taken.push(place.leave)
    if (!place.temporary) taken.push(lock(place.file))
    return started(place, options, release)
  } catch (error) {
    release()
    throw faultAt('file' in options ? options.file : 'file::memory:', error)
  }
}

export interface JoinOptions {
  readonly file: string
  readonly temporary: boolean
  readonly schema: Schema
  readonly notice: Notice
  /** Of the process that has opened the file, by its `share`. */
  readonly writer: WriterAddress
}

/** A store on the file that another process has opened: reads here, and has its writes done there. */
export async function joinSqliteStore(options: JoinOptions): Promise<SqliteStore<RemoteWriter>> {
  const { file, temporary, schema, notice } = options
  const writer = new RemoteWriter(options.writer)
  await writer.connected
  const place = { file, temporary }
  const release = () => undefined
  return new SqliteStore({ place, schema, writer, release, notice, limit: STATEMENT_LIMIT })
}

/** Does the work on the file while no service has it. Throws StoreFault where one does. */
export function withFile<Result>(location: SqliteLocation, work: (place: Place) => Result): Result {
  const { place, release } = holdFile(location)
  try {
    return work(place)
  } catch (error) {
    throw faultAt('file' in location ? location.file : 'file::memory:', error)
  } finally {
    release()
  }
}

export interface HeldFile {
  readonly place: Place
  release(): void
}

/** Keeps services away from the file until it is released. Throws StoreFault where one has it. */
export function holdFile(location: SqliteLocation): HeldFile {
  allowVersion(process.versions.sqlite)
  try {
    const place = settle(location)
    const unlock = place.temporary ? () => undefined : lock(place.file)
    const release = () => {
      unlock()
      place.leave()
    }
    return { place, release }
  } catch (error) {
    throw faultAt('file' in location ? location.file : 'file::memory:', error)
  }
}

/** Refuses an SQLite that is too old to be trusted with data. */
export function allowVersion(version: string | undefined): void {
  const numbers = (version ?? '0').split('.').map(Number)
  const differing = OLDEST_SQLITE.findIndex((least, at) => numbers[at] !== least)
  if (differing === -1 || (numbers[differing] ?? 0) > OLDEST_SQLITE[differing]!) return
  const oldest = OLDEST_SQLITE.join('.')
  throw new StoreFault(
    `SQLite ${version} may damage data. Use a Node.js that brings ${oldest} or later.`,
  )
}

/** The writer's thread, and the memory it takes, begins with the first write. */
function started(
  place: Place,
  { schema, notice, statementLimit: limit = STATEMENT_LIMIT }: SqliteOptions,
  release: () => void,
): SqliteStore {
  const { file, temporary } = place
  const { kept } = evolve(place, schema, 'start')
  noticeKept(notice, kept)
  const identity = temporary ? undefined : identityOf(file)
  const writer = new WriterThread({ file, temporary, schema, identity }, notice)
  const onDamage = (finding: string) => reportDamage(writer, finding)
  const check =
    temporary || !needsFileCheck(file) ? undefined : new FileCheck({ file, onDamage, notice })
  const releaseAll = async () => {
    await check?.stop()
    release()
  }
  return new SqliteStore({ place, schema, writer, release: releaseAll, notice, limit })
}
