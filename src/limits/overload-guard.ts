/**
 * Overload protection. Requests beyond what the process can handle in time are refused at once, so
 * that admitted requests keep their speed.
 *
 * Requests that are ready together begin in one turn of the event loop. The time since the first of
 * them is the delay of everything else. It is measured only while there are requests, so that an
 * idle process sleeps. A request that begins alone delays no other, so it is never refused for it:
 * the first request after a start loads modules and may take long on a slow machine.
 */

export interface OverloadGuard {
  /** Counts a request in progress. */
  enter(): void
  /** Counts its end. */
  leave(): void
  /** Whether the present turn of the event loop has lasted too long. Check again after long work. */
  isLate(): boolean
  /** Whether the loop is late or too many requests are in progress: refuse further work. */
  isOverloaded(): boolean
  /** Whether to refuse an arriving request when the oldest waiting request has waited this long. */
  refusesArrival(milliseconds: number): boolean
}

export interface OverloadOptions {
  /** Milliseconds for which one turn of the event loop may begin requests. */
  readonly turn: number
  /** Requests in progress at the same time. */
  readonly concurrency: number
  /** Milliseconds that requests may wait before they begin. */
  readonly wait: number
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Calls back when the present turn of the event loop is over. */
  readonly afterTurn: (callback: () => void) => void
}

const defaults: OverloadOptions = Object.freeze({
  turn: 100,
  concurrency: 1000,
  wait: 500,
  now: () => performance.now(),
  afterTurn: (callback: () => void) => void setImmediate(callback),
})
const unlimited = { turn: Infinity, concurrency: Infinity, wait: Infinity }

/** Returns a guard with these limits instead of the defaults; `off` admits every request. */
export function createOverloadGuard(options: Partial<OverloadOptions> | 'off' = {}): OverloadGuard {
  const limits = options === 'off' ? unlimited : options
  const { turn, concurrency, wait, now, afterTurn } = { ...defaults, ...limits }
  let inProgress = 0
  let turnBegan: number | undefined
  let begunInTurn = 0
  const isLate = () => turnBegan !== undefined && begunInTurn > 1 && now() - turnBegan > turn
  return {
    enter() {
      inProgress += 1
      begunInTurn += 1
      if (turnBegan === undefined) {
        turnBegan = now()
        afterTurn(() => {
          turnBegan = undefined
          begunInTurn = 0
        })
      }
    },
    leave() {
      inProgress -= 1
    },
    isLate,
    isOverloaded: () => inProgress > concurrency || isLate(),
    refusesArrival: (milliseconds) => milliseconds > wait || inProgress >= concurrency,
  }
}
