/**
 * The room that the write-ahead log may take. A checkpoint copies the log into the database file,
 * which may have to grow for that: a log that has taken the last octet of a volume cannot be copied.
 */

import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreUnavailable } from '../../store.ts'

/** Pages of the log at which SQLite makes a checkpoint: 64 MiB (decision 0036) and 4 MiB. */
const maxLogPages = 16_000
const minLogPages = 1000
/** How many times the database the log may be. */
const maxLogRatio = 4

/** Octets: the longest log, and room for the next batch of writes. */
const requiredHeadroom = 80 * 1024 * 1024

/** Octets that are left to writes that take up no more room, such as deletions. */
const reservedOctets = 512 * 1024

/** For a database of so many pages. */
export function checkpointThreshold(pages: number): number {
  return Math.max(minLogPages, Math.min(maxLogRatio * pages, maxLogPages))
}

/** Whether the volume of the file has so little room that the log must stay short. */
export function isSpaceScarce(file: string): boolean {
  return freeOctets(file) < requiredHeadroom
}

/**
 * What a commit adds goes to the log first and to the file later, and needs room in both. Throws
 * StoreUnavailable where there is not that much: the log could never be copied again.
 */
export function requireGrowth(file: string, octets: number): void {
  const growth = octets - statSync(file).size
  if (growth <= 0 || freeOctets(file) >= 2 * growth + reservedOctets) return
  throw new StoreUnavailable('full', 'The disk is full.')
}

function freeOctets(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}
