/** Detects that a database file was deleted, replaced or given a second name (hard link). */

import { statSync } from 'node:fs'
import { StoreOpenError, StoreUnavailable } from '../../store.ts'

export interface FileIdentity {
  readonly device: number
  readonly inode: number
}

export function readFileIdentity(file: string): FileIdentity {
  const { dev: device, ino: inode } = statSync(file)
  return { device, inode }
}

/**
 * SQLite finds the log by the name of the database. A service and a program that use two names of
 * one file would write past each other's log. Throws a StoreOpenError.
 */
export function requireSingleLink(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined || !found.isFile() || found.nlink <= 1) return
  const reason = `has ${found.nlink} names (hard links), and its log is found by only one of them`
  const remedy = 'Remove the other names, or copy the file and use the copy.'
  throw new StoreOpenError(`The database file ${file} ${reason}. ${remedy}`)
}

/** Throws StoreUnavailable where the path no longer names this file alone. */
export function requireSameFile(file: string, { device, inode }: FileIdentity): void {
  const found = statSync(file, { throwIfNoEntry: false })
  const same = found?.dev === device && found.ino === inode
  if (same && found.nlink <= 1) return
  const reason = same
    ? `was given another name (hard link). Remove that name`
    : `was ${found === undefined ? 'deleted or moved' : 'replaced'} while the service runs. Put it back, or restart the service`
  throw new StoreUnavailable(
    'unreachable',
    `The database file ${file} ${reason}; until then nothing is written.`,
  )
}
