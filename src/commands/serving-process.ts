/** V8 flags and error handlers of the processes that serve requests. */

import { setFlagsFromString } from 'node:v8'
import type { Observer } from '../observation.ts'

export const noPretenuring = '--no-allocation-site-pretenuring'
export const noParallelScavenging = '--no-parallel-scavenge'

/**
 * Stops V8 from allocating objects of a request in the old generation. They are short-lived, and
 * an old object retains everything it points to until the next full collection.
 */
export function disablePretenuring(): void {
  setFlagsFromString(noPretenuring)
}

/** Collects garbage on one thread, since the other processors serve other workers. */
export function disableParallelScavenging(): void {
  setFlagsFromString(noParallelScavenging)
}

/** Logs an uncaught exception, then ends the process. */
export function watchProcess(observe: Observer): void {
  process.once('uncaughtException', (cause) => {
    observe({ kind: 'crash', cause })
    process.exit(1)
  })
  // A closed output must not end the service.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
}

/** A terminal sends its signals to all processes; only the one that started this process handles them. */
export function ignoreSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => undefined)
}
