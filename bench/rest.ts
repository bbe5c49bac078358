/** Between rounds: no server pays for what another was asked to do. */

import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

/** What can be seen working. */
export interface Working {
  readonly name: string
  /** Microseconds so far. */
  processorTime(): number
}

/** Milliseconds between two looks. */
const interval = 100
/** Microseconds that idle servers may take together in that time: clocks tick in hundredths. */
const idle = 10_000
/** Milliseconds that are waited at most. */
const longest = 60_000

/**
 * Resolves once none of them works any more and what they wrote is on the disk. A client that has
 * left leaves its requests behind: a server that takes long for each goes on with them.
 */
export async function untilAtRest(all: readonly Working[], limit = longest): Promise<void> {
  const until = performance.now() + limit
  let before = timesOf(all)
  for (;;) {
    await pause(interval)
    const now = timesOf(all)
    const taken = now.map((time, at) => time - (before[at] as number))
    if (taken.reduce((sum, one) => sum + one, 0) <= idle) break
    if (performance.now() > until) {
      const busiest = all[taken.indexOf(Math.max(...taken))]
      process.stderr.write(`  NOT AT REST: ${busiest?.name}, after ${limit / 1000} s\n`)
      break
    }
    before = now
  }
  // Where there is no such command, the disk is left to itself.
  spawnSync('sync', { timeout: limit })
}

/** Where the system does not tell, or the server is gone, nothing is waited for. */
function timesOf(all: readonly Working[]): readonly number[] {
  return all.map((one) => one.processorTime() || 0)
}
