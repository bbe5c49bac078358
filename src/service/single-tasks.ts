/** The tasks that one process of a service does for all: care of the log, of rows and of files. */

import { startAuditSealing } from '../operation/audit-sealing.ts'
import type { ExpiryClock } from '../requests/context/service-context.ts'
import type { BackgroundTask } from '../work/background-task.ts'
import type { SingleTaskOptions } from './feature.ts'
import { features } from './features.ts'
import { startPruning } from './pruning.ts'

/** Starts them. They evaluate no function of the definition. `queueWork` is called before entries of the log are deleted. */
export async function startSingleTasks(
  options: SingleTaskOptions & { readonly clock: ExpiryClock },
  queueWork: () => Promise<void> = async () => {},
): Promise<BackgroundTask> {
  const { model, store, observe } = options
  const tasks: BackgroundTask[] = []
  for (const feature of features) tasks.push(...((await feature.startSingleTasks?.(options)) ?? []))
  const queueAll = async () => {
    await queueWork()
    for (const task of tasks) await task.queueAll?.()
  }
  const stopPruning = startPruning({ ...options, queueWork: queueAll }, observe)
  const stopSealing = startAuditSealing(store.audit, model, observe)
  return {
    async close() {
      stopPruning()
      stopSealing()
      for (const task of tasks) await task.close()
    },
  }
}
