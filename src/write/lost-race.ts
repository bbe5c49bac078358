/** Writes that lost a race: the row changed between loading and writing. */

import { unavailable } from '../refusal.ts'

/** Thrown when nothing was written, because the loaded state is out of date. */
export class LostRace extends Error {
  constructor() {
    super('The item changed while it was being written')
    this.name = 'LostRace'
  }
}

const maxAttempts = 100

/**
 * Repeats the work after a lost race. The work includes loading, so that preconditions are evaluated
 * on the current state. One of the racing writes always wins. Refuses 503 after too many attempts, and
 * with a turn after its time.
 */
export async function retryLostRaces<T>(work: () => Promise<T>, turn?: Turn<T>): Promise<T> {
  if (!turn) return retry(work, () => true)
  const until = performance.now() + turn.milliseconds
  const remaining = () => until - performance.now()
  for (let attempt = 1; attempt <= attemptsBeforeTurn && remaining() > 0; attempt += 1) {
    const result = await attemptOnce(work)
    if (result) return result.value
  }
  const result = await turn.run(Math.max(0, remaining()), () => retry(work, () => remaining() > 0))
  if (result === undefined) throw tooManyRaces()
  return result
}

/** How many races a request with logic loses before it waits for its turn. */
const attemptsBeforeTurn = 3

/** How a request with logic gets a time in which no other logic runs on its collection. */
export interface Turn<T> {
  /** The time in all, with the attempts before the turn. */
  readonly milliseconds: number
  /** Runs the work in its turn; undefined where the turn did not come in time. */
  run(milliseconds: number, work: () => Promise<T>): Promise<T | undefined>
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

function tooManyRaces() {
  return unavailable('Too many other requests are changing this item.')
}
