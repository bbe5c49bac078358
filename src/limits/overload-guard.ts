/**
 * Overload protection. Requests beyond what the process can handle in time are refused at once, so
 * that admitted requests keep their speed.
 */

export interface OverloadGuard {
  /** Requests without a response so far. */
  readonly inFlight: number
  /** Counts a request in flight. */
  enter(): void
  /** Counts its end. */
  leave(): void
  /** Whether more requests are in flight than the limit: refuse the newest. */
  isOverloaded(): boolean
  /** Whether to refuse an arriving request when the oldest waiting request has waited this long. */
  refusesArrival(milliseconds: number): boolean
}

export interface OverloadOptions {
  /** Requests in flight at the same time. */
  readonly concurrency: number
  /** Milliseconds that requests may wait before they begin. */
  readonly wait: number
}

const defaults: OverloadOptions = Object.freeze({ concurrency: 1000, wait: 500 })
const unlimited: OverloadOptions = Object.freeze({ concurrency: Infinity, wait: Infinity })

/** Returns a guard with these limits instead of the defaults; `off` admits every request. */
export function createOverloadGuard(options: Partial<OverloadOptions> | 'off' = {}): OverloadGuard {
  const { concurrency, wait } = options === 'off' ? unlimited : { ...defaults, ...options }
  let inFlight = 0
  return {
    get inFlight() {
      return inFlight
    },
    enter() {
      inFlight += 1
    },
    leave() {
      inFlight -= 1
    },
    isOverloaded: () => inFlight > concurrency,
    refusesArrival: (milliseconds) => milliseconds > wait || inFlight >= concurrency,
  }
}
