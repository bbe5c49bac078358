/** The collections and their actions outside of requests: each call is one request, with checks and hooks. */

import { randomUUIDv7 } from 'node:crypto'
import { hashPassword } from '../../access/password.ts'
import { actorOf, type Principal, system } from '../../access/principal.ts'
import { rightRefusal } from '../../access/right-refusal.ts'
import { rightsOf } from '../../access/rights.ts'
import { type ActionModel, IDENTITY, type ResourceModel } from '../../definition/model.ts'
import { type Refusal, refuse } from '../../refusal.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { findById } from '../../requests/read/find-item.ts'
import {
  type ActionResult,
  type MadeItem,
  queryTime,
  type ResultValues,
} from '../../requests/write/logic-runner.ts'
import { LostRace, type RetryLock, retryLostRaces, rowOf } from '../../requests/write/lost-race.ts'
import { performInTurn } from '../../requests/write/row-queue.ts'
import type { Attribution } from '../../store/change-log.ts'
import { never } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import type { RequireRow, Write, WriteRefusal } from '../../store/write.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { parseActionInput } from './action-input.ts'
import type { LogicContext, RunningAction, RunningCode } from './collected-run.ts'
import { readItems } from './item-results.ts'
import { type BackgroundCall, createJob } from './jobs/queue-job.ts'
import { asProblem, createCollection, type LogicMethods, LogicProblem } from './logic-collection.ts'
import type { LogicRecord } from './logic-records.ts'
import { LogicRun } from './logic-run.ts'
import { rightGuards } from './perform-action.ts'

export type SystemContext = LogicContext &
  Pick<ServiceContext, 'logic' | 'tracer' | 'passwordCost'> & {
    readonly changes: Pick<ServiceContext['changes'], 'wake'>
  }

/** Whose rights the calls have, and to whom their changes are attributed. */
export interface SystemAccess {
  /** Called at the beginning of each call. */
  findCaller(): Principal | Promise<Principal>
  /** By default the caller. */
  readonly attribution?: Attribution
  /** Whether a program makes the calls for the caller, whose credential must suffice then. */
  readonly isProgram?: boolean
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

/** Milliseconds of a call, with all its attempts. */
export const callTime = 30_000

/** Performs a call again after each lost race: under a lock where hooks run, else in its turn. */
function repeatCall(service: SystemContext, resource: ResourceModel, call: () => Promise<unknown>) {
  if (service.logic?.runsHooks(resource)) return retryLostRaces(call, retryLockOn(service, resource))
  return performInTurn(service.store, { mode: () => 'alone', attempt: call })
}

/** The methods of a collection. They reject with a LogicProblem where a request would be refused. */
export function createSystemCollection(
  service: SystemContext,
  resource: ResourceModel,
  access: SystemAccess,
): LogicMethods {
  const call =
    <Name extends keyof LogicMethods>(name: Name) =>
    (...args: Parameters<LogicMethods[Name]>) =>
      asProblem(`${resource.name}.${name}`, () =>
        repeatCall(service, resource, () => perform({ service, resource, access }, name, args)),
      )
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
  const { job } = access
  const caller = await access.findCaller()
  const { actor, request: requestId = randomUUIDv7() } = access.attribution ?? { actor: actorOf(caller) }
  const code = codeOf(access, caller)
  const run = LogicRun.begin(service, { caller, requestId }, { code, made: job?.made })
  const hash = (password: string) => hashPassword(password, { cost: service.passwordCost })
  const methods = createCollection({ run, resource, caller, hashPassword: hash })
  const method = methods[name] as (...given: readonly unknown[]) => Promise<unknown>
  const result = await method(...args)
  await commitRun(service, run, { call: `${resource.name}.${name}`, actor, lease: job?.lease })
  return result
}

/** The code whose writes need the credential of its user. */
export function codeOf({ job, isProgram }: SystemAccess, caller: Principal): RunningCode | undefined {
  return isProgram ? { kind: 'program', user: caller } : job?.action
}

/** Calls an action. Rejects with a LogicProblem where a request would be refused. */
export function callSystemAction(
  service: SystemContext,
  call: CalledAction,
  { findCaller }: SystemAccess,
): Promise<unknown> {
  const { resource, action } = call
  return asProblem(`${resource.name}.${action.name}`, () =>
    action.isSafe
      ? service.store.withSnapshot(queryTime, async (store) =>
          performAction({ ...service, store }, call, await findCaller()),
        )
      : retryLostRaces(
          async () => performAction(service, call, await findCaller()),
          retryLockOn(service, resource),
        ),
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
  caller: Principal,
): Promise<LogicRecord | Returned | undefined> {
  const { resource, action } = call
  const row = await findPermittedRow(service, call, caller)
  const guards = row ? rightGuards(action, { row, rights: rightsOf(resource, caller) }) : []
  const input = await parseActionInput(service, caller, action, call.input ?? {})
  const request = { caller, requestId: randomUUIDv7() }
  if (action.isSafe) {
    const run = LogicRun.begin(service, request)
    const { result } = await run.act({ resource, action, row, input })
    return result && asReturned(run, result, caller)
  }
  if (action.background) return queueAction(service, { resource, action, row, input, ...request }, guards)
  const run = LogicRun.begin(service, request)
  const { made, result, seeOther } = await run.act({ resource, action, row, input })
  const own = row && seeOther === undefined ? { resource, identity: String(row[IDENTITY]) } : undefined
  const shown = made ?? own
  const record = result
    ? await asReturned(run, result, caller)
    : shown && (await readRecord(run, shown, caller))
  await commitRun(service, run, { call: nameOf(call), actor: actorOf(caller), guards })
  return record
}

type Returned = ResultValues | File | readonly LogicRecord[]

/** The result as programs get it. */
async function asReturned(run: LogicRun, result: ActionResult, caller: Principal): Promise<Returned> {
  if (result.kind === 'members') return result.values
  if (result.kind === 'items') return readItems(run, result, caller)
  return new File([result.octets], result.name, { type: result.type })
}

function nameOf({ resource, action }: CalledAction): string {
  return `${resource.name}.${action.name}`
}

/** The item of the action; undefined for one on the collection. Refuses 404, and 401 and 403 without the right to it. */
async function findPermittedRow(
  { store }: SystemContext,
  { resource, action, id }: CalledAction,
  caller: Principal,
): Promise<Row | undefined> {
  const rights = rightsOf(resource, caller)
  const right = rights.actions.get(action) ?? never
  const checks = createRowChecks(resource, [rights.read, right])
  const row = id === undefined ? undefined : await findById(store, resource, id, checks.conditions)
  if (id !== undefined && !(row && checks.readResults(row)(rights.read))) {
    throw refuse('not-found', { detail: `There is no '${id}'.` })
  }
  const isPermitted = row ? checks.readResults(row)(right) : right.kind === 'always'
  if (!isPermitted) throw rightRefusal(caller, resource, action)
  return row
}

/** Queues a background action; returns its job. */
async function queueAction(
  service: SystemContext,
  call: BackgroundCall,
  guards: readonly Write[],
): Promise<LogicRecord> {
  const { jobs, values, writes } = await createJob(service, call)
  const attribution = { actor: actorOf(call.caller), request: call.requestId }
  const outcome = await service.store.write([...guards, ...writes], attribution)
  if (outcome.kind !== 'done') throw new LostRace()
  service.changes.wake()
  return LogicRun.begin(service, call).recordWith(jobs, call.caller, values)
}

/** The item as it is after the writes; undefined where they delete it, and for a caller who may not read it. */
export async function readRecord(
  run: LogicRun,
  { resource, identity }: MadeItem,
  caller: Principal = system,
): Promise<LogicRecord | undefined> {
  const { read } = rightsOf(resource, caller)
  const { checks, toRecords } = run.reader(resource, caller, 'item', [read])
  const lookup = { table: resource.name, column: '_identity', value: identity, evaluated: checks.conditions }
  const row = await run.preview.find(lookup)
  const [record] = row && checks.readResults(row)(read) ? await toRecords([row]) : []
  return record
}

/** Commits the writes of the run, if there are any. Throws a LostRace or a LogicProblem. */
export async function commitRun(
  service: Pick<SystemContext, 'store' | 'changes'>,
  run: LogicRun,
  { call, actor, guards = [], lease, more = [] }: CommittedCall,
): Promise<void> {
  const writes = [...guards, ...run.writes, ...more]
  if (writes.every(({ kind }) => kind === 'repeat' || kind === 'require')) return
  const all = lease ? [...writes, lease] : writes
  const outcome = await service.store.write(all, { actor, request: run.request.requestId })
  service.changes.wake()
  if (outcome.kind === 'done') return
  throw outcome.index === writes.length ? new LostJob() : refusalOf(call, outcome.reason, all[outcome.index])
}

interface CommittedCall extends Pick<Attribution, 'actor'> {
  readonly call: string
  /** Conditions of the right to the call, before its writes. A call that loses one begins again. */
  readonly guards?: readonly Write[]
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

function retryLockOn({ store }: SystemContext, resource: ResourceModel): RetryLock {
  return {
    milliseconds: callTime,
    run: (milliseconds, work) => store.withNamedLock(resource.name, milliseconds, work),
  }
}
