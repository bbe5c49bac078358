/** Starts the background actions of a definition on a node. */

import { setTimeout as pause } from 'node:timers/promises'
import { placesOfCode } from '../../../definition/logic/declared-hooks.ts'
import type { Model } from '../../../definition/model.ts'
import type { LogicFailure } from '../../../requests/write/logic-runner.ts'
import { idleInterval, PollLoop } from '../../../work/poll-loop.ts'
import { countWaiting } from '../../../work/queued-work.ts'
import { WorkRunner } from '../../../work/work-runner.ts'
import { jobConsumerName } from '../consumer-names.ts'
import type { SystemContext } from '../system-access.ts'
import { createJobConsumer, type DeclaredJob } from './job-consumer.ts'
import { actionPlace, jobTablesOf } from './queue-job.ts'

export interface JobRunner {
  start(): void
  /** Looks for new jobs now instead of at the next interval. */
  wake(): void
  /** Resolves when all jobs have ended. Rejects with the failure of one whose code failed here. */
  settled(): Promise<void>
  /** Ends the jobs in progress; another node, or the next start, begins them again. */
  close(): Promise<void>
}

/** In milliseconds. */
const runTime = 3_600_000
const settleInterval = 10

export function createJobRunner(service: SystemContext): JobRunner {
  const { store, observe, clock } = service
  const tables = jobTablesOf(service.model)
  const actions = backgroundActionsOf(service.model)
  let failure: LogicFailure | undefined
  const report = (cause: unknown) => {
    if (!loop.isClosed) observe({ kind: 'task-failed', task: jobConsumerName, cause })
  }
  const onFailure = (cause: LogicFailure) => {
    failure ??= cause
  }
  const runner = new WorkRunner({
    store,
    context: tables.queue,
    consumer: createJobConsumer({ service, tables, actions, timeout: runTime, onFailure }),
    only: [...actions.keys()],
    now: () => clock.now(),
    report,
    onEnd: () => loop.wake(),
  })
  const step = async () => ((await runner.beginDue()) ? 0 : idleInterval)
  const loop: PollLoop = new PollLoop({ step, report })
  return {
    start: () => loop.start(),
    wake: () => loop.wake(),
    async settled() {
      while ((await countWaiting(store, tables.queue)) > 0 && !failure) {
        loop.wake()
        await pause(settleInterval)
      }
      if (failure) throw failure
    },
    async close() {
      await loop.close()
      await runner.close()
    },
  }
}

function backgroundActionsOf(model: Model): ReadonlyMap<string, DeclaredJob> {
  const declared = placesOfCode(model).flatMap((resource) =>
    [...resource.actions.values()].map((action) => ({ resource, action })),
  )
  return new Map(
    declared
      .filter(({ action }) => action.background)
      .map((one) => [actionPlace(one.resource, one.action), one] as const),
  )
}
