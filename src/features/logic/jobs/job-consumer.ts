/** Runs queued jobs: each attempt belongs to one node, and its row shows how far it is. */

import { isUnfinished, type JobStatus } from '../../../definition/job.ts'
import type { ActionModel, JsonValue, ResourceModel, Stored } from '../../../definition/model.ts'
import { LogicFailure } from '../../../requests/write/logic-runner.ts'
import { all, equals } from '../../../store/condition.ts'
import type { Row } from '../../../store/row.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import { StoreUnavailable } from '../../../store/store.ts'
import { findRow } from '../../../store/table-rows.ts'
import type { RequireRow } from '../../../store/write.ts'
import type { Attempt, AttemptOutcome, Consumer } from '../../../work/change-consumer.ts'
import type { QueuedWork } from '../../../work/queued-work.ts'
import { jobConsumerName } from '../consumer-names.ts'
import { LostJob, type SystemContext } from '../system-access.ts'
import { JobProgress, type Reported } from './job-progress.ts'
import type { JobPayload, JobTables } from './queue-job.ts'
import { isRefusal, problemOf, runJob } from './run-job.ts'

export interface JobContext {
  readonly service: SystemContext
  readonly tables: JobTables
  /** The background actions of the definition, by place. */
  readonly actions: ReadonlyMap<string, DeclaredJob>
  /** Milliseconds of a run. */
  readonly timeout: number
  /** Called with the failure of code that threw. */
  onFailure(failure: LogicFailure): void
}

/** An action that runs in the background, and its resource. */
export interface DeclaredJob {
  readonly resource: ResourceModel
  readonly action: ActionModel
}

/** A job that has ended the process of its node so often is not begun again. */
const maxAttempts = 5

export function createJobConsumer(context: JobContext): Pick<Consumer, 'name' | 'prepareAttempt'> {
  return { name: jobConsumerName, prepareAttempt: (work) => prepareAttempt(context, work) }
}

/** Marks the job as running, together with taking the lease. */
async function prepareAttempt(context: JobContext, work: QueuedWork): Promise<Attempt> {
  const { jobs } = context.tables
  const row = await findJob(context, work)
  if (!row) return { writes: [], run: async () => ({ kind: 'ended', record: nothing }) }
  const at = timestampOf(context)
  const startedAt = readField(jobs, row, 'startedAt') ?? at
  return {
    writes: [updateFields(jobs, row, at, { status: 'running', progress: 0, message: null, startedAt })],
    run: (ending, lost) => attempt(context, work, { ending, lost }),
  }
}

interface AttemptSignals {
  readonly ending: AbortSignal
  readonly lost: AbortSignal
}

async function attempt(
  context: JobContext,
  work: QueuedWork,
  { ending, lost }: AttemptSignals,
): Promise<AttemptOutcome> {
  const { service, tables, actions, timeout } = context
  const declared = actions.get(work.subscriber)
  // The queue is asked for the declared actions only.
  if (!declared) throw new Error(`There is no action ${work.subscriber}`)
  if (work.attempts >= maxAttempts) return exhausted(context, work, declared)
  const lease = leaseOf(tables, work)
  const progress = new JobProgress({
    store: service.store,
    jobs: tables.jobs,
    identity: work.identity,
    place: work.subscriber,
    lease,
    now: () => service.clock.now(),
    observe: service.observe,
    onWrite: () => service.changes.wake(),
  })
  try {
    // Written by features/logic/jobs/queue-job.ts.
    const payload = JSON.parse(work.payload) as JobPayload
    const signal = AbortSignal.any([ending, lost])
    const { result, output } = await runJob({
      service,
      ...declared,
      payload,
      lease,
      progress,
      timeout,
      ending: signal,
    })
    return ended(context, work, {
      ...progress.unwritten,
      status: 'done',
      progress: 1,
      result: result ?? null,
      output: output === undefined ? null : encode(output),
    })
  } catch (cause) {
    if (lost.aborted || isLost(cause)) return { kind: 'ended', record: nothing }
    if (ending.aborted) return released(context, work)
    if (!(cause instanceof LogicFailure) || cause.cause instanceof StoreUnavailable) throw cause
    return failed(context, work, { declared, cause, reported: progress.unwritten })
  } finally {
    await progress.close()
  }
}

/** Holds while this attempt has the lease: the next attempt has another number, and a cancelled job no row. */
function leaseOf({ queue }: JobTables, { identity, attempts }: QueuedWork): RequireRow {
  const condition = all([equals(['_identity'], identity), equals(['attempts'], attempts + 1)])
  return { kind: 'require', table: queue.queue.name, condition }
}

function isLost(error: unknown): boolean {
  return error instanceof LostJob || (error instanceof LogicFailure && error.cause instanceof LostJob)
}

interface FailedJob {
  readonly declared: DeclaredJob
  readonly cause: LogicFailure
  /** The progress that is not stored yet. */
  readonly reported?: Partial<Reported>
}

function failed(
  context: JobContext,
  work: QueuedWork,
  { declared, cause, reported }: FailedJob,
): AttemptOutcome {
  const { service, onFailure } = context
  const { action } = declared
  if (!isRefusal(action, cause)) {
    const { request } = JSON.parse(work.payload) as JobPayload
    service.observe({ kind: 'logic-failed', request, hook: cause.hook, cause })
    onFailure(cause)
  }
  const problem = encode(problemOf(service, action, cause))
  return ended(context, work, { ...reported, status: 'failed', problem })
}

function exhausted(context: JobContext, work: QueuedWork, declared: DeclaredJob): AttemptOutcome {
  const reason = `${work.subscriber} was begun ${maxAttempts} times, and its process ended each time.`
  return failed(context, work, { declared, cause: new LogicFailure(work.subscriber, reason) })
}

/** Another node begins it at once. */
function released(context: JobContext, work: QueuedWork): AttemptOutcome {
  const again = { dueAt: timestampOf(context), attempts: work.attempts }
  const record = () => change(context, work, { status: 'queued', progress: 0, message: null })
  return { kind: 'ended', again, record }
}

function ended(
  context: JobContext,
  work: QueuedWork,
  values: { readonly status: JobStatus } & Readonly<Record<string, Stored>>,
): AttemptOutcome {
  const endedAt = timestampOf(context)
  return { kind: 'ended', record: () => change(context, work, { ...values, endedAt }) }
}

const nothing = async () => []

async function change(context: JobContext, work: QueuedWork, values: Readonly<Record<string, Stored>>) {
  const row = await findJob(context, work)
  return row ? [updateFields(context.tables.jobs, row, timestampOf(context), values)] : []
}

/** The row of a job that has not ended. */
async function findJob({ service, tables }: JobContext, { identity }: QueuedWork): Promise<Row | undefined> {
  const { jobs } = tables
  const row = await findRow(service.store, jobs, identity)
  return row && isUnfinished(readField(jobs, row, 'status')) ? row : undefined
}

function encode(value: JsonValue): string {
  return JSON.stringify(value)
}

function timestampOf({ service }: JobContext): string {
  return new Date(service.clock.now()).toISOString()
}
