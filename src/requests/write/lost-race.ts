/** Writes that lost a race: the row changed between loading and writing. See decision 0002. */

import { unavailable } from '../../refusal.ts'
import type { Write, WrittenRow } from '../../store/write.ts'

/** The row that the write changes or deletes; undefined where it is another write. */
export function rowOf(write: Write | undefined): WrittenRow | undefined {
  if (write?.kind !== 'update' && write?.kind !== 'delete') return undefined
  return { table: write.table, identity: write.identity }
}

/** Thrown when nothing was written, because the loaded state is out of date. */
export class LostRace extends Error {
  /** The row that another request has changed, where it is known. */
  readonly row: WrittenRow | undefined

  constructor(row?: WrittenRow) {
    super('The item changed while it was being written')
    this.name = 'LostRace'
    this.row = row
  }
}

const maxAttempts = 100

/**
 * Repeats the work after a lost race. The work includes loading, so that preconditions are evaluated
 * on the current state. One of the racing writes always wins. Refuses 503 after too many attempts, and
 * with a lock after its time.
 */
export function retryLostRaces<T>(work: () => Promise<T>, lock?: RetryLock): Promise<T> {
  return lock ? retryWithLock(work, lock) : retry(work, () => true)
}

async function retryWithLock<T>(work: () => Promise<T>, lock: RetryLock): Promise<T> {
  const until = performance.now() + lock.milliseconds
  const remaining = () => until - performance.now()
  for (let attempt = 1; attempt <= attemptsBeforeLock && remaining() > 0; attempt += 1) {
    const result = await attemptOnce(work)
    if (result) return result.value
  }
  const result = await lock.run(Math.max(0, remaining()), async () => ({
    value: await retry(work, () => remaining() > 0),
  }))
  if (result === undefined) throw tooManyRaces()
  return result.value
}

/** How many races a request with logic loses before it waits for the lock. */
const attemptsBeforeLock = 3

/** A lock under which no other logic runs on the collection, for a request that lost races. */
export interface RetryLock {
  /** The time in all, with the attempts before the lock. */
  readonly milliseconds: number
  /** Runs the work while it holds the lock; undefined where the lock was not free in time. */
  run<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result | undefined>
}

async function retry<T>(work: () => Promise<T>, isInTime: () => boolean): Promise<T> {
  for (let attempt = 1; attempt <= maxAttempts && isInTime(); attempt += 1) {
    const result = await attemptOnce(work)
    if (result) return result.value
  }
  throw tooManyRaces()
}

/** The result of the work; undefined after a lost race. */
async function attemptOnce<T>(work: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof LostRace) return undefined
    throw error
  }
}

/** The 503 of a request that lost too many races. */
export function tooManyRaces() {
  return unavailable('Too many other requests are changing this item.')
}
