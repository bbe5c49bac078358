/**
 * One service for each database file. Two locks, which the system frees when the process ends:
 *
 * - an exclusive transaction on a second, empty SQLite file named `-lock`, found by the name;
 * - a connection to the database that stays open. SQLite keeps a shared lock on the file itself for
 *   it, whatever name the file was opened under, so no other process can lock it exclusively.
 *
 * A process loses its POSIX locks on a file when it closes any descriptor of that file. So nothing
 * but SQLite may open the database file while it is locked.
 */

import { existsSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreOpenError } from '../../store.ts'
import { isBusy } from '../sqlite-failure.ts'
import { requireSingleLink } from './file-identity.ts'
import { createPrivateFile } from './location.ts'

/** Milliseconds to wait for a process that has the database open only for a moment. */
const lockTimeout = 1000

/** Returns the function that frees the lock. Throws a StoreOpenError where another process holds it. */
export function lockDatabaseFile(file: string): () => void {
  requireSingleLink(file)
  const lockFile = `${file}-lock`
  const isNew = !existsSync(lockFile)
  // A reader under the same name, such as a backup, shares the index of the log; it may stay.
  const beside = !isNew && existsSync(`${file}-shm`) ? 'readers' : 'nobody'
  const named = lockName(file, lockFile)
  try {
    const holder = lockDatabase(file, beside)
    return () => {
      holder.close()
      named.close()
    }
  } catch (error) {
    named.close()
    // Left behind, it would let the next attempt pass for one beside a reader.
    if (isNew && error instanceof StoreOpenError) rmSync(lockFile, { force: true })
    throw error
  }
}

function lockName(file: string, lockFile: string): DatabaseSync {
  createPrivateFile(lockFile)
  const holder = new DatabaseSync(lockFile)
  try {
    holder.exec('begin exclusive')
    return holder
  } catch (cause) {
    holder.close()
    throw isBusy(cause) ? inUse(file, cause) : cause
  }
}

/** Opens the database and proves that no other process has it open under any name, but readers. */
function lockDatabase(file: string, beside: 'readers' | 'nobody'): DatabaseSync {
  const holder = new DatabaseSync(file, { timeout: lockTimeout })
  try {
    holder.exec('pragma trusted_schema = off; pragma journal_mode = wal')
    if (!isAlone(holder) && beside === 'nobody') throw inUse(file)
    // What a killed process left in the log.
    holder.exec('pragma wal_checkpoint(truncate)')
    return holder
  } catch (error) {
    holder.close()
    throw error
  }
}

/**
 * Whether the shared lock can become exclusive for a moment. It is shared again afterwards without
 * having been free in between: of two processes that try at once, at most one succeeds.
 */
function isAlone(holder: DatabaseSync): boolean {
  // The mode must be set after the log was opened; before, SQLite would keep its index to itself.
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
