/**
 * One rate limit per caller across workers. Each worker counts in its own bucket and reports its
 * usage to the others every 50 ms, so no request waits for another process. Within that interval
 * a caller may exceed the limit.
 */

import type { RateLimiter } from '../../limits/rate-limit.ts'
import type { RateUsage } from './rpc-methods.ts'

export interface RateSharing {
  share(rate: RateLimiter): RateLimiter
  /** Counts the usage of other workers. */
  apply(usage: RateUsage): void
}

/** Milliseconds between two reports. */
const shareInterval = 50

export function createRateSharing(report: (usage: RateUsage) => void): RateSharing {
  const usage = new Map<string, number>()
  let own: RateLimiter | undefined

  function flush(): void {
    const unreported = [...usage]
    usage.clear()
    report(unreported)
  }

  return {
    share(rate) {
      own = rate
      return {
        take(caller) {
          const allowance = rate.take(caller)
          if (usage.size === 0) setTimeout(flush, shareInterval).unref()
          usage.set(caller, (usage.get(caller) ?? 0) + 1)
          return allowance
        },
        spend: rate.spend,
      }
    },
    apply(others) {
      for (const [caller, count] of others) own?.spend(caller, count)
    },
  }
}
