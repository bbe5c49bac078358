/** Long work in steps: a generator that yields often, run so that others have their turn. */

import { setImmediate } from 'node:timers/promises'

/** How long the event loop may be held at a time, in milliseconds. */
const longestTurn = 10

/** Runs all steps at once. */
export function finish<Result>(steps: Generator<undefined, Result>): Result {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Runs the steps, and lets the event loop go on whenever a turn has been long enough. */
export async function finishInTurns<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  let began = performance.now()
  let step = steps.next()
  while (!step.done) {
    if (performance.now() - began > longestTurn) {
      await setImmediate()
      began = performance.now()
    }
    step = steps.next()
  }
  return step.value
}
