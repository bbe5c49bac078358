/** Pauses in long work, so that other requests are answered meanwhile. */

import { setImmediate as nextTurn } from 'node:timers/promises'

/** What long work may hold the event loop at a time, in milliseconds. */
const longest = 10

/** A function to call between the steps of long work: it waits for the next turn when one is due. */
export function createPause(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < longest) return undefined
    return nextTurn().then(() => {
      began = performance.now()
    })
  }
}
