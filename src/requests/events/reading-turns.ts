/**
 * The turns of all feeds of a process at reading the change log. Few parts are read at once, each in a
 * turn of the event loop of its own, so that other requests wait for one part at most, however many
 * feeds read a long log. See decision 0062.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'

/** Runs the reading of one part when its turn comes, in the order of arrival. */
export type ReadInTurn = <Result>(read: () => Promise<Result>) => Promise<Result>

/** More than one, because a database on another machine takes its time for each. */
const maxConcurrentParts = 2

export function createReadingTurns(): ReadInTurn {
  const waiting: (() => void)[] = []
  let running = 0
  return async (read) => {
    if (running < maxConcurrentParts) running += 1
    else await new Promise<void>((wake) => waiting.push(wake))
    try {
      await nextTurn()
      return await read()
    } finally {
      const wake = waiting.shift()
      if (wake) wake()
      else running -= 1
    }
  }
}
