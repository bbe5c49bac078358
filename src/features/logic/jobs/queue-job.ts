/** Queues a background action: the job that callers see, and the work that a node does, in one write. */

import { randomUUIDv7 } from 'node:crypto'
import { actorOf, type Principal } from '../../../access/principal.ts'
import { queueName } from '../../../definition/delivery-resources.ts'
import { jobsOf } from '../../../definition/job.ts'
import {
  type ActionModel,
  IDENTITY,
  type JsonValue,
  type ResourceModel,
  type Stored,
} from '../../../definition/model.ts'
import { refuse } from '../../../refusal.ts'
import type { ServiceContext } from '../../../requests/context/service-context.ts'
import { currentTimestamp } from '../../../requests/write/prepare-insert.ts'
import type { Actor } from '../../../store/change-log.ts'
import { all, equals, isMissing } from '../../../store/condition.ts'
import type { Row } from '../../../store/row.ts'
import { insertFields } from '../../../store/table-rows.ts'
import type { Write } from '../../../store/write.ts'
import { enqueueWrite, type QueueContext } from '../../../work/queued-work.ts'
import { jobConsumerName } from '../consumer-names.ts'

/** The tables that jobs are in. */
export interface JobTables {
  readonly jobs: ResourceModel
  readonly queue: QueueContext
}

/** The use of an action that runs later. */
export interface BackgroundCall {
  readonly resource: ResourceModel
  readonly action: ActionModel
  /** The item; undefined for an action on the collection. */
  readonly row: Row | undefined
  readonly input: Readonly<Record<string, JsonValue>>
  readonly caller: Principal
  readonly requestId: string
}

/** The data of queued work: the use of the action, and who used it. The subscriber is the place of the action. */
export interface JobPayload {
  readonly collection: string
  readonly action: string
  /** The identity of the item. */
  readonly item?: string | undefined
  readonly input: Readonly<Record<string, JsonValue>>
  readonly actor: Actor
  readonly request: string
}

/** A job to be inserted. */
export interface NewJob {
  readonly jobs: ResourceModel
  /** Its row, in column order. */
  readonly values: readonly Stored[]
  readonly writes: readonly Write[]
}

/** The place of an action in the definition. */
export function actionPlace(
  resource: Pick<ResourceModel, 'name'>,
  { isSafe, name }: Pick<ActionModel, 'isSafe' | 'name'>,
): string {
  return `${resource.name}.${isSafe ? 'queries' : 'actions'}.${name}`
}

/** The tables of jobs, which a definition with background actions has. */
export function jobTablesOf(model: ServiceContext['model']): JobTables {
  const [jobs, queue] = [jobsOf(model), model.ownTables.get(queueName)]
  if (!jobs || !queue) throw new Error('The definition has no background actions')
  return { jobs, queue: { queue, consumer: jobConsumerName } }
}

/** How many jobs an account, and all callers without one together, may have that have not ended. */
const maxUnfinished = 1000

type JobService = Pick<ServiceContext, 'model' | 'store' | 'clock'>

/** Returns the writes of a new job; refuses 429 where the caller has too many. */
export async function createJob(service: JobService, call: BackgroundCall): Promise<NewJob> {
  const { resource, action, row, input, caller, requestId } = call
  const { jobs, queue } = jobTablesOf(service.model)
  await requireRoom(service, jobs, caller)
  const [identity, now] = [randomUUIDv7(), currentTimestamp(service)]
  const fields = {
    action: `${resource.name}.${action.name}`,
    status: 'queued',
    progress: 0,
    creator: caller.kind === 'account' ? caller.identity : null,
    ownerless: isOwnerless(caller) ? 1 : 0,
  }
  const payload: JobPayload = {
    collection: resource.name,
    action: action.name,
    item: row && String(row[IDENTITY]),
    input,
    actor: actorOf(caller),
    request: requestId,
  }
  const insert = insertFields(jobs, now, fields, identity)
  const work = {
    subscriber: actionPlace(resource, action),
    item: identity,
    position: 0,
    payload: JSON.stringify(payload),
    identity,
  }
  return { jobs, values: insert.values, writes: [insert, enqueueWrite(queue, work, now)] }
}

/** Callers without an account own nothing; the service itself needs no owner. */
function isOwnerless({ kind }: Principal): boolean {
  return kind === 'anonymous' || kind === 'external'
}

async function requireRoom({ store }: JobService, jobs: ResourceModel, caller: Principal): Promise<void> {
  if (caller.kind === 'system') return
  const own = caller.kind === 'account' ? equals(['creator'], caller.identity) : equals(['ownerless'], 1)
  const isUnfinished = isMissing(['endedAt'])
  if ((await store.count(jobs.name, all([own, isUnfinished]))) < maxUnfinished) return
  throw refuse('too-many-requests', {
    detail: `${maxUnfinished} jobs have not ended yet. Wait for them, or cancel some.`,
    fields: { 'Retry-After': '10' },
  })
}
