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
 * on the current state. One of the racing writes always wins. Refuses 503 after too many attempts.
 */
export async function retryLostRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
    }
  }
  throw unavailable('Too many other requests are changing this item.')
}
