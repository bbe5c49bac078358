/** The tasks that one process of a service does for all: care of the log, of rows and of files. */

import { sealAudit } from '../operation/audit-sealing.ts'
import { type RepeatedTask, repeatTask } from '../operation/repeated-task.ts'
import type { ExpiryClock } from '../requests/context/service-context.ts'
import type { BackgroundTask } from '../work/background-task.ts'
import { pruneRows } from '../work/prune-rows.ts'
import type { SingleTaskOptions } from './feature.ts'
import { features } from './features.ts'
import { pruneLog, retentionOf } from './log-pruning.ts'

/** Milliseconds between runs. */
const intervals = { log: 10_000, rows: 60_000, audit: 1000 }

/** Starts them. They evaluate no function of the definition. `queueWork` is called before entries of the log are deleted. */
export async function startSingleTasks(
  options: SingleTaskOptions & { readonly clock: ExpiryClock },
  queueWork: () => Promise<void> = async () => {},
): Promise<BackgroundTask> {
  const { model, store, clock, observe } = options
  const ofFeatures: BackgroundTask[] = []
  for (const feature of features) ofFeatures.push(...((await feature.startSingleTasks?.(options)) ?? []))
  const queueAll = async () => {
    await queueWork()
    for (const task of ofFeatures) await task.queueAll?.()
  }
  const pruning = { store, clock, queueWork: queueAll, ...retentionOf(model) }
  const repeated: readonly RepeatedTask[] = [
    { name: 'log-pruning', interval: intervals.log, run: (ending) => pruneLog(pruning, ending) },
    {
      name: 'row-pruning',
      interval: intervals.rows,
      run: (ending) => pruneRows({ model, store, now: clock.now() }, ending),
    },
    { name: 'audit', interval: intervals.audit, run: () => sealAudit(store.audit, model) },
  ]
  const tasks = [...repeated.map((task) => repeatTask(task, observe)), ...ofFeatures]
  return {
    async close() {
      for (const task of tasks) await task.close()
    },
  }
}
