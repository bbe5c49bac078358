/** Waits for a condition, with a deadline. */

import { setTimeout as pause } from 'node:timers/promises'

interface WaitOptions {
  /** Milliseconds; by default far more than anything takes on a busy machine. */
  readonly within?: number
  /** Milliseconds between two attempts. */
  readonly interval?: number
}

/** Resolves with the first value that is neither false nor undefined; throws when there is none in time. */
export async function eventually<T>(
  find: () => T | Promise<T>,
  { within = 120_000, interval = 5 }: WaitOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + within
  for (;;) {
    const found = await find()
    if (found !== false && found !== undefined) return found as Exclude<T, false | undefined>
    if (performance.now() > deadline) throw new Error(`Still not after ${within} ms: ${find}`)
    await pause(interval)
  }
}
