/** The tasks that one process of a service does for all: care of the log, of rows and of files. */

import type { Model } from '../definition/model.ts'
import type { Observer } from '../observation.ts'
import { startAuditSealing } from '../operation/audit-sealing.ts'
import { repeatTask } from '../operation/repeated-task.ts'
import type { ExpiryClock } from '../requests/context/service-context.ts'
import type { BackgroundTask } from '../work/background-task.ts'
import { pruneRows } from '../work/prune-rows.ts'
import type { SingleTaskOptions } from './feature.ts'
import { features } from './features.ts'
import { type LogPruning, pruneLog, retentionOf } from './log-pruning.ts'

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

/** Milliseconds between runs. */
const logInterval = 10_000
const rowInterval = 60_000

interface Pruning extends Pick<LogPruning, 'store' | 'clock' | 'queueWork'> {
  readonly model: Model
}

/** Starts pruning; returns a function that stops it after the present steps. */
function startPruning(pruning: Pruning, observe: Observer): () => void {
  const { model, store, clock } = pruning
  const stopLog = repeatTask(
    {
      name: 'log-pruning',
      interval: logInterval,
      run: (ending) => pruneLog({ ...pruning, ...retentionOf(model) }, ending),
    },
    observe,
  )
  const stopRows = repeatTask(
    {
      name: 'row-pruning',
      interval: rowInterval,
      run: (ending) => pruneRows({ model, store, now: clock.now() }, ending),
    },
    observe,
  )
  return () => {
    stopLog()
    stopRows()
  }
}
