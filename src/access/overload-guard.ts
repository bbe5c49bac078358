/**
 * Overload: more than can be answered in good time is refused at once, which costs a small part of
 * answering, so that what is admitted is still answered at full speed.
 *
 * Requests that are ready together are begun in one turn of the event loop. The time since the
 * first of them is how long the next has waited already, and how late everything else is; it is
 * measured only while there are requests, so that an idle process sleeps.
 */

export interface OverloadGuard {
  /** One more request is under way. */
  enter(): void
  /** One of them is answered. */
  leave(): void
  /** Whether the loop is too late. Whatever may hold it for long asks once more. */
  isLate(): boolean
  /** Whether it is, or too many requests are under way: more is to be refused. */
  isOverloaded(): boolean
  /** Whether a request is refused as it arrives; the first of those that wait has waited so long. */
  refusesArrival(milliseconds: number): boolean
}

export interface OverloadOptions {
  /** Milliseconds that one turn of the event loop may take requests for. */
  readonly turn: number
  readonly concurrency: number
  /** Milliseconds that requests may wait before they begin; then what arrives is refused. */
  readonly wait: number
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
  /** Calls back when the present turn of the event loop is over. */
  readonly afterTurn: (callback: () => void) => void
}

export const defaultOverloadOptions: OverloadOptions = Object.freeze({
  turn: 100,
  concurrency: 1000,
  wait: 500,
  now: () => performance.now(),
  afterTurn: (callback: () => void) => void setImmediate(callback),
})

export function createOverloadGuard(options: OverloadOptions): OverloadGuard {
  const { turn, concurrency, wait, now, afterTurn } = options
  let underWay = 0
  let turnBegan: number | undefined
  const isLate = () => turnBegan !== undefined && now() - turnBegan > turn
  return {
    enter() {
      underWay += 1
      if (turnBegan === undefined) {
        turnBegan = now()
        afterTurn(() => {
          turnBegan = undefined
        })
      }
    },
    leave() {
      underWay -= 1
    },
    isLate,
    isOverloaded: () => underWay > concurrency || isLate(),
    refusesArrival: (milliseconds) => milliseconds > wait || underWay >= concurrency,
  }
}
