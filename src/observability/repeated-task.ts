/** Work that is done again and again beside requests. Its failure never ends the process. */

import type { Observer } from '../observation.ts'

export interface RepeatedTask {
  readonly name: string
  /** In milliseconds. */
  readonly interval: number
  run(): Promise<void> | void
}

/** Gives a function that stops it. A run that fails is noticed, and the next one is tried. */
export function repeatTask({ name, interval, run }: RepeatedTask, observe: Observer): () => void {
  const timer = setInterval(async () => {
    try {
      await run()
    } catch (cause) {
      observe({ kind: 'task-failed', task: name, cause })
    }
  }, interval)
  timer.unref()
  return () => clearInterval(timer)
}
