/**
 * Locks a database file for one service. There are two locks, which the system frees when the
 * process ends:
 *
 * - an exclusive transaction on a second, empty SQLite file with the suffix `-lock`;
 * - an open connection to the database. It has a shared lock on the file itself, under any of its
 *   names, so no other process can lock it exclusively.
 *
 * A process loses its POSIX locks on a file when it closes any descriptor of that file, so only
 * SQLite may open the database file while it is locked. See decision 0026.
 */

import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreOpenError } from '../../store.ts'
import { isBusy } from '../sqlite-failure.ts'
import { createPrivateFile } from './database-file.ts'
import { requireSingleLink } from './file-identity.ts'

/** Milliseconds to wait for a process that has the database open for a short time. */
const lockTimeout = 1000

/** Returns the function that frees the lock. Throws a StoreOpenError where another process holds it. */
export function lockDatabaseFile(file: string): () => void {
  requireSingleLink(file)
  const lockFile = `${file}-lock`
  const isNew = !existsSync(lockFile)
  // A reader under the same name, such as a backup, shares the WAL index and is allowed.
  const others = !isNew && existsSync(`${file}-shm`) ? 'readers' : 'none'
  const nameLock = lockName(file, lockFile)
  try {
    const holder = lockDatabase(file, others)
    return () => {
      holder.close()
      nameLock.close()
    }
  } catch (error) {
    nameLock.close()
    // With this file, the next attempt would allow readers.
    if (isNew && error instanceof StoreOpenError) rmSync(lockFile, { force: true })
    throw error
  }
}

function lockName(file: string, lockFile: string): DatabaseSync {
  const holder = holdLock(lockFile)
  if (!holder) throw inUse(file)
  return holder
}

/** Holds the lock file until the connection is closed. Undefined where another process holds it. */
export function holdLock(lockFile: string): DatabaseSync | undefined {
  createPrivateFile(lockFile)
  const holder = new DatabaseSync(lockFile)
  try {
    // In memory, because a journal would need room on a disk that may be full.
    holder.exec('pragma journal_mode = memory; begin exclusive')
    return holder
  } catch (cause) {
    holder.close()
    if (isBusy(cause)) return undefined
    throw cause
  }
}

/** Locks the name of a database file, which need not be sound. Throws a StoreOpenError where a service has it. */
export function lockFileName(file: string): DatabaseSync {
  return lockName(file, `${file}-lock`)
}

/** Opens the database. Throws where another process has it open, unless readers are allowed. */
function lockDatabase(file: string, others: 'readers' | 'none'): DatabaseSync {
  const holder = new DatabaseSync(file, { timeout: lockTimeout })
  try {
    holder.exec('pragma trusted_schema = off; pragma journal_mode = wal')
    if (!isAlone(holder) && others === 'none') throw inUse(file)
    // Copies the WAL of a killed process into the file.
    holder.exec('pragma wal_checkpoint(truncate)')
    return holder
  } catch (error) {
    holder.close()
    throw error
  }
}

/**
 * Whether the shared lock can become exclusive. It becomes shared again without being released, so
 * of two processes that try at the same time at most one succeeds.
 */
function isAlone(holder: DatabaseSync): boolean {
  // Set after the WAL is open: set before, SQLite would not share the WAL index.
  holder.exec('select 1 from sqlite_schema; pragma locking_mode = exclusive')
  try {
    holder.exec('begin immediate')
  } catch (error) {
    if (!isBusy(error)) throw error
  }
  holder.exec('pragma locking_mode = normal')
  if (!holder.isTransaction) return false
  holder.exec('commit')
  return true
}

function inUse(file: string, cause?: unknown): StoreOpenError {
  const remedy = 'Stop that one first, or give this one a file of its own.'
  return new StoreOpenError(`The database file ${file} is in use by another process. ${remedy}`, {
    cause,
  })
}
