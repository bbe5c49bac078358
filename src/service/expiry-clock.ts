/**
 * The time by which stored data expires. It does not follow a clock that jumps ahead, because what is deleted too early
 * is lost: neither during a run nor at a start, where the clock is compared with the newest entry of the change log.
 * See decision 0104.
 */

import type { Observer } from '../observation.ts'
import type { Clock, ExpiryClock } from '../requests/context/service-context.ts'
import type { Store } from '../store/store.ts'

/** Milliseconds that a clock may be set at a time. */
const maxStep = 60_000
/** Milliseconds after which a clock that has jumped is right: the service was stopped, or had no writes. */
const trialTime = 86_400_000
/** Milliseconds of difference that are reported. Less is usual: a service may have no writes for a day. */
const reportedDifference = 86_400_000

export interface ExpiryClockOptions {
  readonly store: Store
  readonly clock: Clock
  readonly observe: Observer
}

export async function createExpiryClock({ store, clock, observe }: ExpiryClockOptions): Promise<ExpiryClock> {
  const { newest } = await store.logExtent()
  let time = newest === undefined ? 0 : Date.parse(newest)
  let ticks = performance.now()
  /** When the clock was first seen to have jumped. */
  let jumpedAt: number | undefined
  /** The time of the clock, and the time that follows from the former one. */
  const read = () => {
    const [present, tick] = [clock.now(), performance.now()]
    const expected = Math.floor(time + tick - ticks)
    const hasJumped = Math.abs(present - expected) > maxStep
    if (hasJumped && jumpedAt === undefined) {
      jumpedAt = tick
      const isReported = time > 0 && present > expected + reportedDifference
      if (isReported) observe({ kind: 'clock-ahead', expected, present })
    }
    if (hasJumped && jumpedAt !== undefined && tick - jumpedAt < trialTime) return { present, expected }
    jumpedAt = undefined
    time = present
    ticks = tick
    return { present, expected: present }
  }
  return {
    now() {
      const { present, expected } = read()
      return Math.min(present, expected)
    },
    latest() {
      const { present, expected } = read()
      return Math.max(present, expected)
    },
  }
}
