/** The file of a SQLite database, for its owner only, and temporary folders. */

import { closeSync, existsSync, mkdtempSync, openSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { makeFolderNow } from '../../../tools/durable-folder.ts'
import type { SqliteDatabaseUrl } from './database-url.ts'

/** A file that exists, with symbolic links resolved. */
export interface DatabaseFile {
  readonly file: string
  readonly temporary: boolean
  /** Removes the file where it is temporary. */
  release(): void
}

/** Creates the folder and the file where they do not exist. */
export function openDatabaseFile(url: SqliteDatabaseUrl): DatabaseFile {
  if ('temporary' in url) return openTemporaryFile()
  const file = resolveFile(url.file)
  createPrivateFile(file)
  return { file, temporary: false, release: () => undefined }
}

/** The path of the file with symbolic links resolved. Creates its folder where it does not exist. */
export function resolveFile(path: string): string {
  const file = resolve(path)
  makeFolderNow(dirname(file))
  return realFile(file)
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

function openTemporaryFile(): DatabaseFile {
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
