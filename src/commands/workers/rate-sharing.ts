/**
 * One rate for a caller whichever worker serves it: each worker takes from a bucket of its own, and
 * tells the others every moment what it took. So no request waits for another process; within the
 * moment a caller may get more than the rate.
 */

import type { RateLimiter } from '../../access/rate-limit.ts'
import type { RateUsage } from './rpc-methods.ts'

export interface RateSharing {
  share(rate: RateLimiter): RateLimiter
  /** What others took. */
  apply(usage: RateUsage): void
}

/** In milliseconds. */
const shareInterval = 50

export function createRateSharing(tell: (usage: RateUsage) => void): RateSharing {
  const taken = new Map<string, number>()
  let own: RateLimiter | undefined

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
          if (taken.size === 0) setTimeout(flush, shareInterval).unref()
          taken.set(caller, (taken.get(caller) ?? 0) + 1)
          return allowance
        },
        spend: rate.spend,
      }
    },
    apply(usage) {
      for (const [caller, count] of usage) own?.spend(caller, count)
    },
  }
}
