/** The work of a service beside handling requests: hooks, schedules, jobs, webhooks, and care of the log and of files. */

import type { ServiceContext } from '../requests/context/service-context.ts'
import type { BackgroundTask } from '../work/background-task.ts'
import { loadFeatures } from './loaded-features.ts'
import type { CreateServiceOptions } from './service-options.ts'
import { startSingleTasks } from './single-tasks.ts'

/** Milliseconds from a write to the start of its work, which later writes in that time share. Responses are sent first. */
const gatheringTime = 10

export interface BackgroundTasks {
  /** To be called after a write in this process, so that its work begins soon. */
  wake(): void
  /** Resolves when all jobs have ended and the `after` hooks of all changes have run. Rejects with the failure of one. */
  settled(): Promise<void>
  /** Runs the schedules that are due until a time; `advance` sets the clock. */
  runSchedules(until: number, advance: (now: number) => void): Promise<void>
  /** Queues the `after` hooks of all changes so far, so that the change log can be pruned. */
  queueAfterHooks(): Promise<void>
  close(): Promise<void>
}

/** Starts them. Where processes share a service, the primary process has the tasks that one does for all. */
export async function startBackgroundTasks(
  service: ServiceContext,
  options: CreateServiceOptions,
): Promise<BackgroundTasks> {
  // Registered before the first request, so that no change is missed.
  const tasks = await startFeatureTasks(service, options)
  const queueAfterHooks = async () => {
    for (const task of tasks) await task.queueAll?.()
  }
  const { model, store, expiryClock: clock, observe, files } = service
  const single = options.shared
    ? undefined
    : await startSingleTasks({ model, store, clock, observe, files, hasWorkers: false }, queueAfterHooks)
  for (const task of tasks) task.start?.()
  let gathering: NodeJS.Timeout | undefined
  const beginWork = () => {
    gathering = undefined
    for (const task of tasks) task.wake?.()
  }
  return {
    wake() {
      gathering ??= setTimeout(beginWork, gatheringTime).unref()
    },
    async settled() {
      for (const task of tasks) await task.settled?.()
    },
    async runSchedules(until, advance) {
      for (const task of tasks) await task.runUntil?.(until, advance)
    },
    queueAfterHooks,
    async close() {
      clearTimeout(gathering)
      await single?.close()
      for (const task of tasks) await task.close()
    },
  }
}

async function startFeatureTasks(
  service: ServiceContext,
  options: CreateServiceOptions,
): Promise<readonly BackgroundTask[]> {
  const { parts } = await loadFeatures(service.model)
  const started: BackgroundTask[] = []
  for (const { startTasks } of parts) started.push(...((await startTasks?.(service, options)) ?? []))
  return started
}
