/**
 * One node for each file. The lock is a second, empty SQLite file held under an exclusive
 * transaction for as long as the process lives; the system frees it when the process dies.
 */

import { DatabaseSync } from 'node:sqlite'
import { StoreFault } from '../store.ts'
import { isBusy } from './failure.ts'
import { createPrivateFile } from './location.ts'

/** Gives the function that frees the lock. Refuses with a StoreFault where another holds it. */
export function lock(file: string): () => void {
  createPrivateFile(`${file}-lock`)
  const holder = new DatabaseSync(`${file}-lock`)
  try {
    holder.exec('begin exclusive')
  } catch (cause) {
    holder.close()
    if (!isBusy(cause)) throw cause
    const remedy = 'Stop that one first, or give this one a file of its own.'
    throw new StoreFault(`The database file ${file} is in use by another process. ${remedy}`, {
      cause,
    })
  }
  return () => holder.close()
}
