/** Background tasks that run at an interval. A failure never ends the process. */

import type { Observer } from '../observation.ts'
import type { BackgroundTask } from '../work/background-task.ts'

export interface RepeatedTask {
  readonly name: string
  /** In milliseconds. */
  readonly interval: number
  /** The signal ends with the task. */
  run(ending: AbortSignal): Promise<void> | void
}

/** Starts the task. Failed runs are observed; no two run at the same time. */
export function repeatTask({ name, interval, run }: RepeatedTask, observe: Observer): BackgroundTask {
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
  return {
    async close() {
      clearInterval(timer)
      ending.abort()
    },
  }
}
