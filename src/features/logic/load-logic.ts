/** Loads the code that runs the logic of a definition, only for definitions that have some. */

import { defaultPasswordCost } from '../../access/password.ts'
import { jobsOf } from '../../definition/job.ts'
import { hasAfterHooks, hasSchedules, placesOfCode } from '../../definition/logic/declared-hooks.ts'
import type { Model } from '../../definition/model.ts'
import type { Observer } from '../../observation.ts'
import { createCursorCodec } from '../../query/cursor.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { LogicRunner } from '../../requests/write/logic-runner.ts'
import type { Store } from '../../store/store.ts'
import { clockOf } from '../../store/store-clock.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import type { AfterHookOptions, AfterHookRunner } from './after/after-hook-runner.ts'
import type { LogicContext } from './collected-run.ts'
import type { JobRunner } from './jobs/job-runner.ts'
import type { ScheduleRunner } from './schedules/schedule-runner.ts'
import type { SystemContext } from './system-access.ts'

/** The runner of `before` hooks and checks; undefined for a definition without logic. */
export async function loadLogicRunner(context: LogicContext): Promise<LogicRunner | undefined> {
  if (!placesOfCode(context.model).some(({ logic }) => logic !== undefined)) return undefined
  const { createLogicRunner } = await import('./create-logic-runner.ts')
  return createLogicRunner(context)
}

interface LogicOptions {
  readonly after?: AfterHookOptions
  /** `asked`: schedules run only when they are asked for. */
  readonly schedules?: 'asked'
}

/** Registers hooks and schedules before the first request, so that no change is missed. */
export async function startTasks(
  service: ServiceContext,
  { after, schedules: times }: LogicOptions,
): Promise<readonly BackgroundTask[]> {
  // Jobs first: their writes make hooks run.
  const jobs = await loadJobRunner(service)
  const schedules = await loadScheduleRunner(service)
  const asked: BackgroundTask | undefined = schedules && {
    runUntil: (until, advance) => schedules.runUntil(until, advance),
    close: () => schedules.close(),
  }
  const hooks = await loadAfterHookRunner(service, after)
  return [jobs, times === 'asked' ? asked : schedules, hooks].filter((task) => task !== undefined)
}

/** Registers the `after` hooks of the definition; undefined where it has none. */
async function loadAfterHookRunner(
  context: SystemContext,
  options?: AfterHookOptions,
): Promise<AfterHookRunner | undefined> {
  if (!hasAfterHooks(context.model)) return undefined
  const { createAfterHookRunner } = await import('./after/after-hook-runner.ts')
  return createAfterHookRunner(context, options)
}

/** Registers the schedules of the definition; undefined where it has none. */
async function loadScheduleRunner(context: SystemContext): Promise<ScheduleRunner | undefined> {
  if (!hasSchedules(context.model)) return undefined
  const { createScheduleRunner } = await import('./schedules/schedule-runner.ts')
  return createScheduleRunner(context)
}

/** The runner of background actions; undefined for a definition that has none. */
async function loadJobRunner(context: SystemContext): Promise<JobRunner | undefined> {
  if (!jobsOf(context.model)) return undefined
  const { createJobRunner } = await import('./jobs/job-runner.ts')
  return createJobRunner(context)
}

interface HookQueueOptions {
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  /** Whether other processes run the hooks. */
  readonly hasWorkers: boolean
}

/** Queues `after` hooks in a process that does not run them, so that it can prune the change log. */
export async function startHookQueue({
  hasWorkers,
  ...options
}: HookQueueOptions): Promise<readonly BackgroundTask[]> {
  if (!hasWorkers || !hasAfterHooks(options.model)) return []
  let loading: Promise<AfterHookRunner | undefined> | undefined
  return [
    {
      async queueAll() {
        loading ??= loadHookQueue(options).catch((error) => {
          loading = undefined
          throw error
        })
        await (await loading)?.queueAll()
      },
      async close() {},
    },
  ]
}

async function loadHookQueue({ model, store, observe }: Omit<HookQueueOptions, 'hasWorkers'>) {
  const cursors = createCursorCodec(await store.loadSecret('cursor'))
  const changes = { wake: () => undefined }
  // Only the queue is filled here, so nothing that hooks use is needed.
  const none = { logic: undefined, files: undefined, codeTool: undefined, passwordCost: defaultPasswordCost }
  return loadAfterHookRunner({ model, store, observe, clock: clockOf(store), cursors, changes, ...none })
}
