/** The location of a SQLite database: the file of a URL, or a temporary file. */

import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StoreOpenError } from '../../store.ts'

export type SqliteLocation = { readonly file: string } | { readonly temporary: true }

/**
 * Parses `file:data/restwell.db`, `file:///var/lib/restwell.db` or `file::memory:`. Throws a
 * StoreOpenError for other URLs.
 */
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

/** A file that exists, with symbolic links resolved. */
export interface OpenLocation {
  readonly file: string
  readonly temporary: boolean
  /** Removes the file where it is temporary. */
  release(): void
}

/** Creates the folder and the file where they do not exist. */
export function openLocation(location: SqliteLocation): OpenLocation {
  if ('temporary' in location) return openTemporaryLocation()
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

/** Resolves symbolic links, so that all names of a file use the same lock. */
function realFile(file: string): string {
  try {
    return realpathSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return join(realpathSync(dirname(file)), basename(file))
  }
}

function openTemporaryLocation(): OpenLocation {
  const { folder, remove } = createTemporaryFolder()
  return { file: join(folder, 'restwell.db'), temporary: true, release: remove }
}

export interface TemporaryFolder {
  readonly folder: string
  remove(): void
}

const temporaryFolders = new Set<string>()

/** Creates a folder for the present user only. It is removed at the exit of the process at the latest. */
export function createTemporaryFolder(): TemporaryFolder {
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
