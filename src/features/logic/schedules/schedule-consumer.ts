/** Runs the schedules of a definition: each is a row of the queue that is due again after every run. */

import { findNextTime } from '../../../definition/logic/cron.ts'
import type { ScheduleModel } from '../../../definition/logic/logic-model.ts'
import { LogicFailure } from '../../../requests/write/logic-runner.ts'
import type { AttemptOutcome, Consumer } from '../../../work/change-consumer.ts'
import type { QueuedWork } from '../../../work/queued-work.ts'
import { retryDelay } from '../../../work/retry-delay.ts'
import { createAfterTools, noAuthor } from '../after/after-tools.ts'
import { HopelessHook, translateErrors } from '../after/run-after-hook.ts'
import { scheduleConsumerName } from '../consumer-names.ts'
import { HookCalls } from '../hook-calls.ts'
import { limitTime } from '../limit-time.ts'
import type { SystemContext } from '../system-access.ts'

export interface ScheduleContext {
  readonly service: SystemContext
  /** By place in the definition, such as `tasks.schedules.nightly`. */
  readonly schedules: ReadonlyMap<string, ScheduleModel>
  /** Milliseconds of a run. */
  readonly timeout: number
  /** Called with the failure of a run whose code failed. */
  onFailure(failure: LogicFailure): void
}

export function createScheduleConsumer(context: ScheduleContext): Pick<Consumer, 'name' | 'prepareAttempt'> {
  return {
    name: scheduleConsumerName,
    prepareAttempt: async (work) => ({ writes: [], run: (ending) => attempt(context, work, ending) }),
  }
}

async function attempt(
  context: ScheduleContext,
  work: QueuedWork,
  ending: AbortSignal,
): Promise<AttemptOutcome> {
  const schedule = context.schedules.get(work.subscriber)
  // The queue is asked for the declared schedules only.
  if (!schedule) throw new Error(`There is no schedule ${work.subscriber}`)
  try {
    await run(context, { place: work.subscriber, schedule }, ending)
    return repeat(context, schedule)
  } catch (cause) {
    // A run that the stop of the service has ended is repeated, and does not count as failed.
    if (ending.aborted || !(cause instanceof LogicFailure)) throw cause
    context.service.observe({ kind: 'logic-failed', request: undefined, hook: cause.hook, cause })
    context.onFailure(cause)
    return cause instanceof HopelessHook
      ? repeat(context, schedule)
      : repeat(context, schedule, work.attempts + 1)
  }
}

interface PlacedSchedule {
  readonly place: string
  readonly schedule: ScheduleModel
}

async function run(
  { service, timeout }: ScheduleContext,
  { place, schedule }: PlacedSchedule,
  ending: AbortSignal,
): Promise<void> {
  const calls = new HookCalls(place)
  const attribution = { actor: { name: place, path: [place] } }
  await translateErrors(place, () =>
    limitTime({ place, timeout, ending }, async (signal) => {
      await schedule.run(createAfterTools({ service, place, author: noAuthor, attribution, calls, signal }))
      calls.end()
    }),
  )
}

/** Due at the next time; after so many failed attempts sooner, after the delay of failed work. */
function repeat({ service }: ScheduleContext, { cron }: ScheduleModel, failed = 0): AttemptOutcome {
  const now = service.clock.now()
  const delay =
    failed === 0 ? undefined : retryDelay({ attempts: failed, askedDelay: undefined, random: Math.random() })
  // A checked expression always has a next time.
  const next = findNextTime(cron, now) ?? now
  const isSooner = delay !== undefined && now + delay < next
  const dueAt = new Date(isSooner ? now + delay : next).toISOString()
  return { kind: 'ended', again: { dueAt, attempts: isSooner ? failed : 0 }, record: async () => [] }
}
