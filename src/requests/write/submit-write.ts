/** Submits writes to the store, and translates the store's refusals into problems. */

import { callerRefusal } from '../../access/access-refusal.ts'
import { actorOf } from '../../access/actor.ts'
import { isOutliving, requireSameBasis } from '../../access/credential-basis.ts'
import { lastAdminRefusal } from '../../access/last-admin.ts'
import type { Principal } from '../../access/principal.ts'
import { type FieldModel, IDENTITY, type ResourceModel, type Stored } from '../../definition/model.ts'
import { invalidContent, Refusal, refuse } from '../../refusal.ts'
import type { Condition } from '../../store/condition.ts'
import type { ReferringRow, Write, WriteOutcome, WriteRefusal } from '../../store/write.ts'
import { isRowDependent } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type {
  ActionTarget,
  CollectionTarget,
  ElementTarget,
  FileTarget,
  ItemTarget,
} from '../context/target.ts'
import { findVisibleUri } from '../read/visible-uri.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { createResponseWrite } from './idempotency.ts'
import { LostRace, rowOf as writtenRowOf } from './lost-race.ts'
import { missingReference } from './reference-lookup.ts'
import { giveWay } from './row-queue.ts'
import { duplicate, findTakenKeys, type UniqueFields, uniqueSetsOf } from './unique-values.ts'

export type WriteTarget = CollectionTarget | ItemTarget | ElementTarget | ActionTarget | FileTarget

/**
 * Returns the response once the writes are durable; throws a Refusal or a LostRace when they are not.
 * With an idempotency key the response is stored in the same transaction.
 */
export async function submitWrites(
  context: RequestContext<WriteTarget>,
  writes: readonly Write[],
  response: ViewResponse,
): Promise<ViewResponse> {
  const written = await write(context, writes, response)
  if (written.kind === 'done') return response
  throw await toRefusal(context, written.reason, writes[written.index])
}

/** A write of a batch that was refused. */
export interface RefusedWrite {
  /** Among the writes of the batch. */
  readonly index: number
  /** The refusal of the request that made the write. */
  toRefusal(context: RequestContext<WriteTarget>): Promise<Refusal | LostRace>
}

/** Submits the writes of several requests; undefined once they are durable. */
export async function submitTogether(
  context: RequestContext,
  writes: readonly Write[],
  response: ViewResponse,
): Promise<RefusedWrite | undefined> {
  const written = await write(context, writes, response)
  if (written.kind === 'done') return undefined
  const { index, reason } = written
  // Guards of the caller's credential and the response under the idempotency key follow the writes.
  if (index >= writes.length) throw new LostRace()
  return { index, toRefusal: (entry) => toRefusal(entry, reason, writes[index]) }
}

/** Values that are to be written, and the condition on them. */
interface IntendedValues {
  readonly values: readonly Stored[]
  readonly conditionAfter: Condition
  /** The field whose values the caller must not learn to be taken. */
  readonly untold?: FieldModel
}

/**
 * Refuses 403 and 409 for values that the store would refuse now, before their passwords are hashed.
 * The store checks again when it writes.
 */
export async function requireNoConflicts(
  context: RequestContext<CollectionTarget | ItemTarget>,
  { values, conditionAfter, untold }: IntendedValues,
): Promise<void> {
  const { service, caller, target } = context
  const { store } = service
  const { resource } = target
  if (isRowDependent(conditionAfter) && !(await store.satisfies(resource.name, values, conditionAfter)))
    throw callerRefusal(caller)
  const taken: UniqueFields[] = []
  for (const set of uniqueSetsOf(resource)) {
    // An item that another request creates at the target of a PUT is a lost race, not a conflict.
    if (target.kind === 'item' && set[0] === resource.keyField) continue
    if (untold && set.includes(untold)) continue
    const identities = await findTakenKeys(store, resource, set, [values])
    if ([...identities.values()].some((one) => one !== values[IDENTITY])) taken.push(set)
  }
  if (taken.length > 0) throw duplicate(context, taken)
}

/** Like `submitWrites`, for bulk creation: the pointers of faults begin with the index of the write. */
export async function submitBulk(
  context: RequestContext<CollectionTarget | ItemTarget>,
  writes: readonly Write[],
  response: ViewResponse,
): Promise<ViewResponse> {
  const written = await write(context, writes, response)
  if (written.kind === 'done') return response
  const error = await toRefusal(context, written.reason, writes[written.index])
  throw error instanceof Refusal ? withinRow(error, rowOf(context, writes, written.index)) : error
}

async function write(
  context: RequestContext,
  writes: readonly Write[],
  response: ViewResponse,
): Promise<WriteOutcome> {
  const { service, idempotencyKey, caller, requestId, target, method } = context
  if (context.givesWay) giveWay(service.store, writes)
  const attribution = { actor: actorOf(caller), request: requestId }
  // A deletion gives nothing away that could outlive its basis.
  const isGuarded = 'resource' in target && method !== 'DELETE' && isOutliving(target.resource)
  const guarded = isGuarded ? [...writes, ...(await requireSameBasis(service, caller))] : writes
  const all = idempotencyKey
    ? [...guarded, await createResponseWrite(context, idempotencyKey, response)]
    : guarded
  const commit = () => service.store.write(all, attribution)
  const quota = service.files?.quota
  const outcome = await (quota ? quota.commit(service.store, all, commit) : commit())
  service.changes.wake()
  return outcome
}

/** The row of the body that the write is for: the number of inserts into the collection before it. */
function rowOf(
  { target }: RequestContext<CollectionTarget | ItemTarget>,
  writes: readonly Write[],
  index: number,
) {
  const { name } = target.resource
  return writes.slice(0, index).filter((write) => write.kind === 'insert' && write.table === name).length
}

function withinRow({ type, options }: Refusal, row: number): Refusal {
  const errors = options.errors?.map((fault) => ({ ...fault, pointer: `/${row}${fault.pointer}` }))
  return refuse(type, errors ? { ...options, errors } : options)
}

async function toRefusal(
  context: RequestContext<WriteTarget>,
  reason: WriteRefusal,
  write: Write | undefined,
): Promise<Refusal | LostRace> {
  const { service, caller, target } = context
  const { resource } = target
  switch (reason.kind) {
    case 'stale':
      return new LostRace(writtenRowOf(write))
    case 'response-exists':
      // Another process has stored a response under the same idempotency key; the retry replays it.
      return new LostRace()
    case 'forbidden':
      return callerRefusal(caller)
    case 'duplicate':
      if (isByLogic(target, write)) {
        return refuse('duplicate', { detail: `Another item of '${tableOf(write)}' has the same values.` })
      }
      if (write?.kind === 'insert' && isUriTaken(target, reason.columns)) return new LostRace()
      return duplicate(context, [fieldsOf(resource, reason.columns)])
    case 'missing-reference':
      // A row that logic refers to was deleted after the run read it.
      if (isByLogic(target, write)) return new LostRace()
      // The parent was deleted after it was read; the retry finds it absent.
      if (isParentColumn(target, reason.columns)) return new LostRace()
      return invalidContent(
        reason.columns.flatMap((name) => {
          const field = resource.fieldByName.get(name)
          const target = (field?.ref ?? field?.refs)?.resource
          return field && target ? [missingReference(field, target.name)] : []
        }),
      )
    case 'referenced':
      return referenced(await findVisibleUris(service, caller, reason.by))
    case 'too-many':
      return refuse('referenced', {
        detail: `Deleting it would delete more than ${reason.limit} other items with it.`,
      })
    case 'no-required-row':
      // The right to the action is gone; the retry refuses it.
      return new LostRace()
    case 'last-row':
      return lastAdminRefusal(
        service.model,
        isOfTarget(target, service.model.accounts?.resource, write),
        write,
      )
  }
}

/** Whether the write changes or deletes the item that the request names, one of the resource. */
function isOfTarget(target: WriteTarget, resource: ResourceModel | undefined, write: Write | undefined) {
  return target.kind === 'item' && target.resource === resource && tableOf(write) === resource.name
}

/** Whether code of the definition makes the write: not the content, whose fields a fault could point to. */
function isByLogic(target: WriteTarget, write: Write | undefined): boolean {
  return target.kind === 'action' || (write !== undefined && tableOf(write) !== target.resource.name)
}

function tableOf(write: Write | undefined): string | undefined {
  return write && 'table' in write ? write.table : undefined
}

function isParentColumn(target: WriteTarget, columns: readonly string[]): boolean {
  return target.kind === 'collection' && columns.includes(target.parent?.relation.field.name ?? '')
}

/** A unique index that another program created may have columns without a field. */
function fieldsOf({ fieldByName }: ResourceModel, columns: readonly string[]): UniqueFields {
  return columns.flatMap((name) => fieldByName.get(name) ?? [])
}

/** Whether another request has created the item at the target of the PUT. */
function isUriTaken({ kind, resource }: WriteTarget, columns: readonly string[]) {
  return kind === 'item' && columns.includes(resource.keyField?.name ?? '_identity')
}

function referenced(by: readonly string[]): Refusal {
  const uris = by.length === 0 ? '' : `: ${by.slice(0, 3).join(', ')}${by.length > 3 ? ' …' : ''}`
  return refuse('referenced', {
    detail: `Other items refer to it${uris}.`,
    members: by.length === 0 ? {} : { by },
  })
}

/** The URIs of the rows that the caller may read, each once. That there are others is not secret. */
async function findVisibleUris(service: ServiceContext, caller: Principal, rows: readonly ReferringRow[]) {
  const uris = await Promise.all(
    rows.map(({ table, identity }) => {
      const resource = service.model.resources.get(table) as ResourceModel
      return findVisibleUri(service, caller, resource, identity)
    }),
  )
  return [...new Set(uris)].filter((uri) => uri !== undefined)
}
