/**
 * The time by which stored data expires. It does not follow a clock that jumps ahead, because what is deleted too early
 * is lost: neither during a run nor at a start, where the clock is compared with the newest entry of the change log.
 */

import type { Observer } from '../observation.ts'
import type { Clock } from '../requests/context/service-context.ts'
import type { Store } from '../store/store.ts'

/** Milliseconds that a clock may be set ahead at a time. */
const maxStep = 60_000
/** Milliseconds after which a clock that is still ahead is right: the service was stopped, or had no writes. */
const trialTime = 86_400_000
/** Milliseconds of difference that are reported. Less is usual: a service may have no writes for a day. */
const reportedDifference = 86_400_000

export interface ExpiryClockOptions {
  readonly store: Store
  readonly clock: Clock
  readonly observe: Observer
}

export async function createExpiryClock({ store, clock, observe }: ExpiryClockOptions): Promise<Clock> {
  const { newest } = await store.logExtent()
  let time = newest === undefined ? 0 : Date.parse(newest)
  let ticks = performance.now()
  /** When the clock was first seen ahead. */
  let aheadSince: number | undefined
  return {
    now() {
      const [present, tick] = [clock.now(), performance.now()]
      const expected = Math.floor(time + tick - ticks)
      const isAhead = present > expected + maxStep
      if (isAhead && aheadSince === undefined) {
        aheadSince = tick
        const isReported = time > 0 && present > expected + reportedDifference
        if (isReported) observe({ kind: 'clock-ahead', expected, present })
      }
      if (isAhead && aheadSince !== undefined && tick - aheadSince < trialTime) return expected
      aheadSince = undefined
      time = present
      ticks = tick
      return present
    },
  }
}
