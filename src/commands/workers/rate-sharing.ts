/**
 * One rate for a caller whichever worker serves it: each worker takes from a bucket of its own, and
 * tells the others every moment what it took. So no request waits for another process; within the
 * moment a caller may get more than the rate.
 */

import type { Rate } from '../../access/rate.ts'
import type { Takes } from './duties.ts'

export interface RateSharing {
  share(rate: Rate): Rate
  /** What others took. */
  spend(takes: Takes): void
}

/** In milliseconds. */
const moment = 50

export function rateSharing(tell: (takes: Takes) => void): RateSharing {
  const taken = new Map<string, number>()
  let own: Rate | undefined

  function flush(): void {
    const takes = [...taken]
    taken.clear()
    tell(takes)
  }

  return {
    share(rate) {
      own = rate
      return {
        take(caller) {
          const allowance = rate.take(caller)
          if (taken.size === 0) setTimeout(flush, moment).unref()
          taken.set(caller, (taken.get(caller) ?? 0) + 1)
          return allowance
        },
        spend: rate.spend,
      }
    },
    spend(takes) {
      for (const [caller, count] of takes) own?.spend(caller, count)
    },
  }
}
