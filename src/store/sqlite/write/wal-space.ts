/**
 * The space of the write-ahead log. A checkpoint copies the WAL into the database file, which may
 * have to grow, so the WAL must leave free space on the volume.
 */

import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreUnavailable } from '../../store.ts'

/** Pages of the WAL at which SQLite makes a checkpoint: 64 MiB and 4 MiB. */
const maxWalPages = 16_000
const minWalPages = 1000
/** How many times larger than the database the WAL may be. */
const maxWalRatio = 4

/** Octets for the largest log and the next batch of writes. */
const requiredHeadroom = 80 * 1024 * 1024

/** Octets reserved for writes that need no space, such as deletions. */
const reservedOctets = 512 * 1024

/** The number of log pages that triggers a checkpoint, for a database of so many pages. */
export function checkpointThreshold(pages: number): number {
  return Math.max(minWalPages, Math.min(maxWalRatio * pages, maxWalPages))
}

/** Whether the volume has so little free space that the log must stay short. */
export function isSpaceScarce(file: string): boolean {
  return freeOctets(file) < requiredHeadroom
}

/**
 * Throws StoreUnavailable (`full`) where the volume has no space for the growth in both the log and
 * the file: then no checkpoint could succeed.
 */
export function requireSpaceFor(file: string, octets: number): void {
  const growth = octets - statSync(file).size
  if (growth <= 0 || freeOctets(file) >= 2 * growth + reservedOctets) return
  throw new StoreUnavailable('full', 'The disk is full.')
}

/** The octets that are left on the volume of the file. */
export function freeOctets(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}
