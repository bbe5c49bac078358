/** Background tasks that run at an interval. A failure never ends the process. */

import type { Observer } from '../observation.ts'

export interface RepeatedTask {
  readonly name: string
  /** In milliseconds. */
  readonly interval: number
  run(): Promise<void> | void
}

/** Starts the task and returns a function that stops it. Failed runs are observed. */
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
