/** Starts the background actions of a definition on a node, and prunes the jobs that have ended. */

import { setTimeout as pause } from 'node:timers/promises'
import { IDENTITY, type Model } from '../../../definition/model.ts'
import type { LogicFailure } from '../../../requests/write/logic-runner.ts'
import { always } from '../../../store/condition.ts'
import { versionOf } from '../../../store/row.ts'
import { jobConsumerName } from '../../../work/change-consumer.ts'
import { idleInterval, PollLoop } from '../../../work/poll-loop.ts'
import { countWaiting } from '../../../work/queued-work.ts'
import { WorkRunner } from '../../../work/work-runner.ts'
import type { SystemContext } from '../system-access.ts'
import { createJobConsumer, type DeclaredJob } from './job-consumer.ts'
import { actionPlace, type JobTables, jobTablesOf } from './queue-job.ts'

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
const keepTime = 7 * 86_400_000
const pruneInterval = 600_000
const settleInterval = 10
/** Jobs that are deleted at a time. */
const maxPruned = 100

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
  let prunedAt = Number.NEGATIVE_INFINITY
  const step = async () => {
    if (clock.now() - prunedAt > pruneInterval) {
      prunedAt = clock.now()
      await pruneJobs(service, tables)
    }
    return (await runner.beginDue()) ? 0 : idleInterval
  }
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

function backgroundActionsOf({ resources }: Model): ReadonlyMap<string, DeclaredJob> {
  const declared = [...resources.values()].flatMap((resource) =>
    [...resource.actions.values()].map((action) => ({ resource, action })),
  )
  return new Map(
    declared
      .filter(({ action }) => action.background)
      .map((one) => [actionPlace(one.resource, one.action), one] as const),
  )
}

/** Deletes jobs that ended a week ago. */
export async function pruneJobs(service: SystemContext, tables: JobTables): Promise<void> {
  const { store, clock } = service
  const { jobs } = tables
  const before = new Date(clock.now() - keepTime).toISOString()
  const rows = await store.list({
    table: jobs.name,
    condition: { kind: 'compare', path: ['endedAt'], operator: 'lt', values: [before] },
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: maxPruned,
    evaluated: [],
  })
  if (rows.length === 0) return
  const at = new Date(clock.now()).toISOString()
  const deletions = rows.map((row) => ({
    kind: 'delete' as const,
    table: jobs.name,
    identity: String(row[IDENTITY]),
    version: versionOf(row),
    conditionBefore: always,
    at,
  }))
  // Refused where another node has deleted them.
  await store.write(deletions, { actor: { name: jobConsumerName } })
  if (rows.length === maxPruned) await pruneJobs(service, tables)
}
