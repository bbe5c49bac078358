/** Writes that lost a race: the item changed between being loaded and being written. */

import { unavailable } from '../refusal.ts'

/** Nothing was written; what was loaded is out of date. */
export class LostRace extends Error {
  constructor() {
    super('The item changed while it was being written')
    this.name = 'LostRace'
  }
}

const attempts = 100

/**
 * Begins the work again after a lost race, from loading on, so that preconditions are judged
 * against what is there now. In every round some write wins, so this ends.
 */
export async function retryLostRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
    }
  }
  throw unavailable('Too many others are changing this item.')
}
