/** Deletes in the background what is older than it is kept: entries of the change log, and rows of built-in tables. */

import type { Model } from '../definition/model.ts'
import type { Observer } from '../observation.ts'
import { repeatTask } from '../operation/repeated-task.ts'
import { pruneRows } from '../work/prune-rows.ts'
import { type LogPruning, pruneLog, retentionOf } from './log-pruning.ts'

/** Milliseconds between runs. */
const logInterval = 10_000
const rowInterval = 60_000

export interface Pruning extends Pick<LogPruning, 'store' | 'clock' | 'queueWork'> {
  readonly model: Model
}

/** Starts pruning; returns a function that stops it after the present steps. */
export function startPruning(pruning: Pruning, observe: Observer): () => void {
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
