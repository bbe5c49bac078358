/** The collections with all rights, for scripts and tests: each call is one request, with checks and hooks. */

import { randomUUIDv7 } from 'node:crypto'
import { actorOf } from '../../access/actor.ts'
import { hashPassword } from '../../access/password.ts'
import { type Principal, system } from '../../access/principal.ts'
import { type ActionModel, IDENTITY, type ResourceModel } from '../../definition/model.ts'
import { type Refusal, refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { findById } from '../../requests/read/find-item.ts'
import type { MadeItem, ResultValues } from '../../requests/write/logic-runner.ts'
import { LostRace, type RetryLock, retryLostRaces, rowOf } from '../../requests/write/lost-race.ts'
import { performInTurn } from '../../requests/write/row-queue.ts'
import type { Attribution } from '../../store/change-log.ts'
import type { RequireRow, Write, WriteRefusal } from '../../store/write.ts'
import { parseActionInput } from './action-input.ts'
import type { LogicContext, RunningAction } from './collected-run.ts'
import { type BackgroundCall, createJob } from './jobs/queue-job.ts'
import { asProblem, createCollection, type LogicMethods, LogicProblem } from './logic-collection.ts'
import type { LogicRecord } from './logic-records.ts'
import { LogicRun } from './logic-run.ts'

export type SystemContext = LogicContext &
  Pick<ServiceContext, 'logic' | 'tracer' | 'passwordCost'> & {
    readonly changes: Pick<ServiceContext['changes'], 'wake'>
  }

/** Whose rights the calls have, and to whom their changes are attributed. */
export interface SystemAccess {
  readonly caller: Principal
  readonly attribution: Attribution
  /** The job whose code makes the calls; undefined: none does. */
  readonly job?: RunningJob | undefined
}

/** A job as its calls see it. */
export interface RunningJob {
  readonly action: RunningAction
  /** Holds while the job belongs to this node and was not cancelled. A write without it throws a LostJob. */
  readonly lease: RequireRow
  /** Filled with the items that the code creates, by the records that it gets. */
  readonly made: WeakMap<object, MadeItem>
}

/** Thrown by the calls of a job that was cancelled, or taken over by another node. */
export class LostJob extends Error {
  constructor() {
    super('The job was cancelled, or another node has taken it over.')
    this.name = 'LostJob'
  }
}

const scriptAccess: SystemAccess = { caller: system, attribution: { actor: actorOf(system) } }

/** Milliseconds of a call, with all its attempts. */
const callTime = 30_000

/** Performs a call again after each lost race: under a lock where hooks run, else in its turn. */
function repeatCall(service: SystemContext, resource: ResourceModel, call: () => Promise<unknown>) {
  if (service.logic?.runsHooks(resource)) return retryLostRaces(call, retryLockOn(service, resource))
  return performInTurn(service.store, { mode: () => 'alone', attempt: call })
}

/** The methods of a collection. They reject with a LogicProblem where a request would be refused. */
export function createSystemCollection(
  service: SystemContext,
  resource: ResourceModel,
  access: SystemAccess = scriptAccess,
): LogicMethods {
  const call =
    <Name extends keyof LogicMethods>(name: Name) =>
    (...args: Parameters<LogicMethods[Name]>) =>
      repeatCall(service, resource, () => perform({ service, resource, access }, name, args))
  return {
    list: call('list'),
    count: call('count'),
    get: call('get'),
    create: call('create'),
    patch: call('patch'),
    replace: call('replace'),
    remove: call('remove'),
  } as LogicMethods
}

interface CalledCollection {
  readonly service: SystemContext
  readonly resource: ResourceModel
  readonly access: SystemAccess
}

async function perform(
  { service, resource, access }: CalledCollection,
  name: keyof LogicMethods,
  args: readonly unknown[],
): Promise<unknown> {
  const { actor, request: requestId = randomUUIDv7() } = access.attribution
  const { caller, job } = access
  const run = LogicRun.begin(service, { caller: system, requestId }, job?.action)
  const hash = (password: string) => hashPassword(password, { cost: service.passwordCost })
  const methods = createCollection({ run, resource, caller, hashPassword: hash })
  const method = methods[name] as (...given: readonly unknown[]) => Promise<unknown>
  const result = await method(...args)
  await commitRun(service, run, { call: `${resource.name}.${name}`, actor, lease: job?.lease })
  const made = isObject(result) ? run.made.get(result) : undefined
  if (made && job && isObject(result)) job.made.set(result, made)
  return result
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Calls an action with all rights. Rejects with a LogicProblem where a request would be refused. */
export function callSystemAction(service: SystemContext, call: CalledAction): Promise<unknown> {
  const { resource, action } = call
  return asProblem(`${resource.name}.${action.name}`, () =>
    retryLostRaces(() => performAction(service, call), retryLockOn(service, resource)),
  )
}

export interface CalledAction {
  readonly resource: ResourceModel
  readonly action: ActionModel
  /** The id of the item; undefined for an action on the collection. */
  readonly id: string | undefined
  readonly input: unknown
}

/** Returns the declared result; else the item that the action made and returned, or its own item; undefined without one. */
async function performAction(
  service: SystemContext,
  call: CalledAction,
): Promise<LogicRecord | ResultValues | undefined> {
  const { resource, action, id } = call
  const row = id === undefined ? undefined : await findById(service.store, resource, id, [])
  if (id !== undefined && !row) throw refuse('not-found', { detail: `There is no '${id}'.` })
  const input = await parseActionInput(service, system, action, call.input ?? {})
  const requestId = randomUUIDv7()
  if (action.background)
    return queueAction(service, { resource, action, row, input, caller: system, requestId })
  const run = LogicRun.begin(service, { caller: system, requestId })
  const { made, result, seeOther } = await run.act({ resource, action, row, input })
  const own = row && seeOther === undefined ? { resource, identity: String(row[IDENTITY]) } : undefined
  const shown = made ?? own
  const record = result ?? (shown && (await readRecord(run, shown)))
  await commitRun(service, run, { call: `${resource.name}.${action.name}`, actor: actorOf(system) })
  return record
}

/** Queues a background action; returns its job. */
async function queueAction(service: SystemContext, call: BackgroundCall): Promise<LogicRecord> {
  const { jobs, values, writes } = await createJob(service, call)
  await service.store.write(writes, { actor: actorOf(system), request: call.requestId })
  service.changes.wake()
  return LogicRun.begin(service, call).recordWith(jobs, system, values)
}

/** The item as it is after the writes; undefined where they delete it. */
export async function readRecord(
  run: LogicRun,
  { resource, identity }: MadeItem,
): Promise<LogicRecord | undefined> {
  const { checks, toRecords } = run.reader(resource, system, 'item')
  const lookup = { table: resource.name, column: '_identity', value: identity, evaluated: checks.conditions }
  const row = await run.preview.find(lookup)
  const [record] = row ? await toRecords([row]) : []
  return record
}

/** Commits the writes of the run, if there are any. Throws a LostRace or a LogicProblem. */
export async function commitRun(
  service: Pick<SystemContext, 'store' | 'changes'>,
  run: LogicRun,
  { call, actor, lease, more = [] }: CommittedCall,
): Promise<void> {
  const writes = [...run.writes, ...more]
  if (writes.every(({ kind }) => kind === 'repeat')) return
  const all = lease ? [...writes, lease] : writes
  const outcome = await service.store.write(all, { actor, request: run.request.requestId })
  service.changes.wake()
  if (outcome.kind === 'done') return
  throw outcome.index === writes.length ? new LostJob() : refusalOf(call, outcome.reason, all[outcome.index])
}

interface CommittedCall extends Pick<Attribution, 'actor'> {
  readonly call: string
  readonly lease?: RequireRow | undefined
  /** Writes beside those of the run. */
  readonly more?: readonly Write[]
}

function refusalOf(call: string, reason: WriteRefusal, write: Write | undefined): LostRace | LogicProblem {
  const refusal = refusalTypes[reason.kind]
  return refusal ? new LogicProblem(call, refusal) : new LostRace(rowOf(write))
}

const refusalTypes: Readonly<Partial<Record<WriteRefusal['kind'], Refusal>>> = {
  duplicate: refuse('duplicate', { detail: 'Another item has the same values.' }),
  referenced: refuse('referenced', { detail: 'Other items refer to it.' }),
  'too-many': refuse('referenced', { detail: 'Deleting it would delete too many other items with it.' }),
  forbidden: refuse('forbidden'),
  'last-row': refuse('state-conflict', {
    detail: 'It would remove the last administrator. Give the role to another account first.',
  }),
}

function retryLockOn({ store }: SystemContext, resource: ResourceModel): RetryLock<unknown> {
  return {
    milliseconds: callTime,
    run: (milliseconds, work) => store.withNamedLock(resource.name, milliseconds, work),
  }
}
