/** Where a SQLite database lives: a file named by a URL, or a temporary one that goes with us. */

import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StoreOpenError } from '../../store.ts'

export type SqliteLocation = { readonly file: string } | { readonly temporary: true }

/** `file:data/restwell.db`, `file:///var/lib/restwell.db` or `file::memory:`. */
export function parseSqliteUrl(url: string): SqliteLocation {
  if (url === 'file::memory:') return { temporary: true }
  const path = url.startsWith('file://') ? pathOf(url) : url.slice('file:'.length)
  if (!url.startsWith('file:') || path === '') throw badUrl(url)
  return { file: path }
}

function pathOf(url: string): string {
  try {
    return fileURLToPath(url)
  } catch (cause) {
    throw badUrl(url, cause)
  }
}

function badUrl(url: string, cause?: unknown): StoreOpenError {
  const form = 'Write file:data/restwell.db, file:///var/lib/restwell.db or file::memory:'
  return new StoreOpenError(`'${url}' names no database file. ${form}`, { cause })
}

/** A place that is there: the folder made, links followed. `leave` removes what was temporary. */
export interface OpenLocation {
  readonly file: string
  readonly temporary: boolean
  release(): void
}

export function openLocation(location: SqliteLocation): OpenLocation {
  if ('temporary' in location) return temporaryPlace()
  const file = resolve(location.file)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const real = realFile(file)
  createPrivateFile(real)
  return { file: real, temporary: false, release: () => undefined }
}

/**
 * Creates the file, empty and for its owner only, where it does not exist. SQLite gives a log and
 * its index the mode of the database file.
 */
export function createPrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
}

/** Two names for one file must find one lock. */
function realFile(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return join(realpathSync(dirname(file)), basename(file))
  }
}

function temporaryPlace(): OpenLocation {
  const { folder, remove } = temporaryFolder()
  return { file: join(folder, 'restwell.db'), temporary: true, release: remove }
}

export interface TemporaryFolder {
  readonly folder: string
  remove(): void
}

const temporaryFolders = new Set<string>()

/** One that only we may enter, removed with the process at the latest. */
export function temporaryFolder(): TemporaryFolder {
  const folder = mkdtempSync(join(tmpdir(), 'restwell-'))
  if (temporaryFolders.size === 0) process.once('exit', removeTemporaryFolders)
  temporaryFolders.add(folder)
  return { folder, remove: () => remove(folder) }
}

function removeTemporaryFolders(): void {
  for (const folder of temporaryFolders) remove(folder)
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  temporaryFolders.delete(folder)
  if (temporaryFolders.size === 0) process.off('exit', removeTemporaryFolders)
}
