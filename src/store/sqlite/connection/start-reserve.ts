/**
 * A file beside the database, `-reserve`, that keeps room for a start on a full disk: SQLite cannot even read a
 * database without the index of its log, which needs some.
 */

import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { isOutOfRoom } from '../sqlite-failure.ts'

/** Octets: the index of an empty log, and blocks of the file system for the names of new files. */
const reserveSize = 65_536

/** Opens the database. Where the disk has no room for that, the reserve is given up for it. */
export function withReserve<Result>(file: string, open: () => Result): Result {
  try {
    return open()
  } catch (error) {
    if (!isOutOfRoom(error) || !existsSync(reserveOf(file))) throw error
    rmSync(reserveOf(file))
    return open()
  }
}

/** Makes the reserve where there is none, and room for it. */
export function keepReserve(file: string): void {
  if (existsSync(reserveOf(file))) return
  try {
    writeFileSync(reserveOf(file), Buffer.alloc(reserveSize), { mode: 0o600 })
  } catch {
    // The disk is full, or the folder takes no new file: the next start tries again.
    rmSync(reserveOf(file), { force: true })
  }
}

function reserveOf(file: string): string {
  return `${file}-reserve`
}
