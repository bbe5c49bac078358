/** The consumer of the change log that runs `after` hooks: a queued work for each entry with a hook. */

import { formatEntry, parseEntryText } from '../../../requests/events/stored-entry.ts'
import { LogicFailure } from '../../../requests/write/logic-runner.ts'
import { type ChangeLogEntry, importWithoutLogic } from '../../../store/change-log.ts'
import type { Schema } from '../../../store/schema/table-schema.ts'
import type { Attempt, AttemptOutcome, Consumer } from '../../../work/change-consumer.ts'
import type { NewWork, QueuedWork } from '../../../work/queued-work.ts'
import { retryDelay } from '../../../work/retry-delay.ts'
import { afterConsumerName } from '../consumer-names.ts'
import type { SystemContext } from '../system-access.ts'
import { HopelessHook, placeOf, runAfterHook } from './run-after-hook.ts'

export interface AfterContext {
  readonly service: SystemContext
  readonly schema: Schema
  /** By place of a hook: the position of the log after which it runs. */
  readonly since: ReadonlyMap<string, number>
  /** Milliseconds of an attempt. */
  readonly timeout: number
  /** The errors of failed attempts in this process, by identity of the work. */
  readonly failures: Map<string, LogicFailure>
}

export function createAfterConsumer(context: AfterContext): Consumer {
  const start = Math.min(...context.since.values())
  return {
    name: afterConsumerName,
    findStart: async () => start,
    selectWork: async (entries) => entries.flatMap((entry) => workOf(context, entry)),
    prepareAttempt: async (work) => prepareAttempt(context, work),
  }
}

/** Entries without values, such as those of an erased item, make no work; nor do imports without logic. */
function workOf({ schema, since }: AfterContext, entry: ChangeLogEntry): readonly NewWork[] {
  const { position, table, identity, before, after, actor } = entry
  if (actor?.name === importWithoutLogic) return []
  const from = since.get(placeOf(entry))
  if (from === undefined || position <= from || !(after ?? before)) return []
  return [{ subscriber: table, item: identity, position, payload: formatEntry(schema, entry) }]
}

function prepareAttempt(context: AfterContext, work: QueuedWork): Attempt {
  const entry = parseEntryText(context.schema, work.payload)
  const span = { name: `after ${placeOf(entry)}`, request: entry.request }
  return { span, writes: [], run: (ending) => attempt(context, { work, entry, ending }) }
}

interface AttemptedEntry {
  readonly work: QueuedWork
  readonly entry: ChangeLogEntry
  readonly ending: AbortSignal
}

async function attempt(context: AfterContext, attempted: AttemptedEntry): Promise<AttemptOutcome> {
  const { service, timeout, failures } = context
  const { work, entry, ending } = attempted
  try {
    await runAfterHook({ service, timeout, ending }, entry)
    failures.delete(work.identity)
    return { kind: 'ended', record: nothing }
  } catch (error) {
    // An attempt that the stop of the service has ended is repeated, and does not count as failed.
    if (ending.aborted || !(error instanceof LogicFailure)) throw error
    remember(failures, work.identity, error)
    return toOutcome(context, attempted, error)
  }
}

/** Of many failures, as when a receiver is gone for hours, the first ones are enough. */
const maxFailures = 100

function remember(failures: AfterContext['failures'], identity: string, failure: LogicFailure): void {
  if (failures.has(identity) || failures.size < maxFailures) failures.set(identity, failure)
}

function toOutcome(
  { service }: AfterContext,
  { work, entry }: AttemptedEntry,
  cause: LogicFailure,
): AttemptOutcome {
  const failed = { attempts: work.attempts + 1, askedDelay: undefined, random: 0 }
  const isParked = cause instanceof HopelessHook || retryDelay(failed) === undefined
  service.observe({
    kind: 'logic-failed',
    request: entry.request,
    hook: cause.hook,
    ...(isParked && { parked: work.identity }),
    cause,
  })
  return { kind: isParked ? 'parked' : 'failed', record: nothing }
}

const nothing = async () => []
