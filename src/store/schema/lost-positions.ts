/**
 * Positions of the change log that a former state of the database may have used. When a database has gone back in time,
 * the next positions would be those of lost entries, and a reader that has read these would miss the new ones. So the
 * log continues far ahead, and the positions between are recorded as lost. See decision 0105.
 */

import type { MetaRecords } from './meta-records.ts'

/**
 * The name of the record in `_meta` of the instance of the database. Where the instance that is found is another one,
 * the database is a copy, a restored backup or a promoted standby.
 */
export const instanceRecord = 'instance'

/** The name of the record in `_meta` of the lost positions. */
export const lostRecord = 'lost-positions'

/** The positions between two others, neither included. */
export interface LostPositions {
  readonly after: number
  readonly before: number
}

/** More than the entries that a database may lose. */
const maxLost = 1_000_000_000

/** The positions that are lost where the last one that is left is this. */
export function lostAfter(position: number): LostPositions {
  return { after: position, before: position + maxLost }
}

/** From the value of the record. */
export function parseLost(value: unknown): readonly LostPositions[] {
  return typeof value === 'string' ? JSON.parse(value) : []
}

/** The value of the record with further positions. */
export function formatLost(records: MetaRecords, lost: LostPositions): string {
  return JSON.stringify([...parseLost(records.get(lostRecord)), lost])
}

/** Whether an entry with this position was lost. */
export function isLost(position: number, lost: readonly LostPositions[]): boolean {
  return lost.some(({ after, before }) => position > after && position < before)
}

/** How many of the positions from the first to the last one are lost. */
export function countLost(lost: readonly LostPositions[], first: number, last: number): number {
  const widths = lost.map(({ after, before }) => Math.min(before, last) - Math.max(after, first - 1))
  return widths.reduce((sum, width) => sum + Math.max(0, width), 0)
}
