/** What every process that serves does for itself, and about what nobody else answers for. */

import { setFlagsFromString } from 'node:v8'
import type { Observer } from '../observation.ts'

export const noPretenuring = '--no-allocation-site-pretenuring'
export const noParallelScavenging = '--no-parallel-scavenge'

/**
 * Whatever a request makes is dead a moment later. V8 may guess otherwise: it then makes such
 * objects among the old ones, and all that they point to grows old with them.
 */
export function disablePretenuring(): void {
  setFlagsFromString(noPretenuring)
}

/** One of several processes collects its garbage by itself: the other processors are the others'. */
export function disableParallelScavenging(): void {
  setFlagsFromString(noParallelScavenging)
}

/** A bug outside any request ends the process, but not without a line in the log. */
export function watchProcess(observe: Observer): void {
  process.once('uncaughtException', (cause) => {
    observe({ kind: 'crash', cause })
    process.exit(1)
  })
  // Whoever read the log or the output is gone: nobody is left to tell, and requests go on.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}
