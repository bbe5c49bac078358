/** Waits between rounds until no server works any more. */

import { spawnSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'

/** A process whose processor time is observed. */
export interface Working {
  readonly name: string
  /** Microseconds of processor time. */
  processorTime(): number
}

/** Milliseconds between two readings. */
const interval = 100
/** Microseconds that idle servers may use together in that time: the clock counts hundredths. */
const idle = 10_000
/** The longest wait in milliseconds. */
const longest = 60_000

/**
 * Resolves when no process works any more and all writes are on disk. A slow server still processes
 * requests of a client that has left.
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
  // Without the command `sync` the disk is not awaited.
  spawnSync('sync', { timeout: limit })
}

/** Unknown processor time counts as none. */
function timesOf(all: readonly Working[]): readonly number[] {
  return all.map((one) => one.processorTime() || 0)
}
