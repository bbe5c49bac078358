/** Limits the time that the database reads for each caller (docs/reference/http/limits.md, "Limits"). Quick reads are not counted. */

import { refuse } from '../refusal.ts'
import { createTokenBuckets } from './token-buckets.ts'

export interface ReadBudget {
  /** Refuses with 429 when the caller has used its time. */
  requireTime(caller: string): void
  /** Counts so many milliseconds. */
  spend(caller: string, milliseconds: number): void
}

/** Milliseconds of reading in a window. */
export const defaultReadTime = 20_000
/** In seconds. */
const window = 60

export function createReadBudget(now: () => number, size = defaultReadTime): ReadBudget {
  const buckets = createTokenBuckets({ size, window, now })
  return {
    requireTime(caller) {
      const { content } = buckets.refill(caller)
      if (content > 0) return
      const share = `${size / 1000} seconds of reading in ${window} seconds`
      const remedy = 'Wait, then filter by an indexed field, or request fewer items.'
      throw refuse('too-many-requests', {
        detail: `Your slow lists have used up ${share}. ${remedy}`,
        fields: { 'Retry-After': String(Math.max(1, buckets.secondsFor(-content))) },
      })
    },
    spend(caller, milliseconds) {
      buckets.refill(caller).content -= milliseconds
    },
  }
}
