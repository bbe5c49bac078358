/** Background tasks that run at an interval. A failure never ends the process. */

import type { Observer } from '../observation.ts'

export interface RepeatedTask {
  readonly name: string
  /** In milliseconds. */
  readonly interval: number
  /** The signal ends with the task. */
  run(ending: AbortSignal): Promise<void> | void
}

/** Starts the task and returns a function that stops it. Failed runs are observed; no two run at the same time. */
export function repeatTask({ name, interval, run }: RepeatedTask, observe: Observer): () => void {
  const ending = new AbortController()
  let isRunning = false
  const timer = setInterval(async () => {
    if (isRunning) return
    isRunning = true
    try {
      await run(ending.signal)
    } catch (cause) {
      observe({ kind: 'task-failed', task: name, cause })
    } finally {
      isRunning = false
    }
  }, interval)
  timer.unref()
  return () => {
    clearInterval(timer)
    ending.abort()
  }
}
