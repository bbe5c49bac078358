/** Hands a write to the store, and says in the client's terms what the store has against it. */

import { refuseCaller } from '../access/authorize.ts'
import { refuseLastAdmin } from '../access/last-admin.ts'
import type { Principal } from '../access/principal.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'
import { IDENTITY, type ResourceModel, type Stored } from '../definition/model.ts'
import { findVisibleUri } from '../read/visible-uri.ts'
import { invalidContent, Refusal, refuse } from '../refusal.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import type { Condition } from '../store/condition.ts'
import type { ReferringRow, Write, WriteOutcome, WriteRefusal } from '../store/store.ts'
import { isRowDependent } from '../view/shape.ts'
import { missingReference } from './encode-values.ts'
import { createResponseWrite } from './idempotency.ts'
import { LostRace } from './lost-race.ts'

/**
 * The answer, once the writes are durable; else they are refused, or lost to another write. Under a
 * key the answer is kept with them, so that it can be given again.
 */
export async function submitWrites(
  context: RequestContext<CollectionTarget | ItemTarget>,
  writes: readonly Write[],
  response: ViewResponse,
): Promise<ViewResponse> {
  const written = await write(context, writes, response)
  if (written.kind === 'done') return response
  throw await refusalFor(context, written.reason, writes[written.index])
}

/**
 * Looks ahead at what the store would refuse, before a password is hashed for it: 403, 409. The
 * store still decides when it writes.
 */
export async function refuseKnownConflicts(
  { service, caller, target }: RequestContext<CollectionTarget | ItemTarget>,
  values: readonly Stored[],
  result: Condition,
): Promise<void> {
  const { store } = service
  const { resource } = target
  const { name: table, key, fields } = resource
  if (isRowDependent(result) && !(await store.satisfies(table, values, result)))
    throw refuseCaller(caller)
  const taken: string[] = []
  for (const field of fields.filter(({ unique }) => unique)) {
    const value = values[field.index] ?? null
    // A URI that another request has taken meanwhile is no conflict.
    if (value === null || (target.kind === 'item' && field === key)) continue
    const found = await store.find({ table, column: field.name, value, evaluate: [] })
    if (found && found[IDENTITY] !== values[IDENTITY]) taken.push(field.name)
  }
  if (taken.length > 0) throw duplicate(resource, taken)
}

/** The same for many of a kind; a fault points to the place of its write first. */
export async function submitBulk(
  context: RequestContext<CollectionTarget | ItemTarget>,
  writes: readonly Write[],
  response: ViewResponse,
): Promise<ViewResponse> {
  const written = await write(context, writes, response)
  if (written.kind === 'done') return response
  const error = await refusalFor(context, written.reason, writes[written.index])
  throw error instanceof Refusal ? withinRow(error, written.index) : error
}

function write(
  context: RequestContext,
  writes: readonly Write[],
  response: ViewResponse,
): Promise<WriteOutcome> {
  const { service, key } = context
  if (!key) return service.store.write(writes)
  return createResponseWrite(context, key, response).then((kept) =>
    service.store.write([...writes, kept]),
  )
}

/** The refusal of one row of many, its faults pointed to within that row. */
function withinRow({ type, options }: Refusal, row: number): Refusal {
  const errors = options.errors?.map((fault) => ({ ...fault, pointer: `/${row}${fault.pointer}` }))
  return refuse(type, errors ? { ...options, errors } : options)
}

async function refusalFor(
  { service, caller, target, method }: RequestContext<CollectionTarget | ItemTarget>,
  reason: WriteRefusal,
  write: Write | undefined,
): Promise<Refusal | LostRace> {
  const { resource } = target
  switch (reason.kind) {
    case 'stale':
    // Another request under the same key was quicker, on another node: its answer is there now.
    case 'answered':
      return new LostRace()
    case 'forbidden':
      return refuseCaller(caller)
    case 'duplicate':
      if (write?.kind === 'insert' && isUriTaken(target, reason.columns)) return new LostRace()
      return duplicate(resource, reason.columns)
    case 'dangling':
      return invalidContent(
        reason.columns.flatMap((name) => {
          const field = resource.field.get(name)
          return field?.ref ? [missingReference(field, field.ref.resource.name)] : []
        }),
      )
    case 'referenced':
      return referenced(await findVisibleUris(service, caller, reason.by))
    case 'too-many':
      return refuse('referenced', {
        detail: `Deleting it would delete more than ${reason.limit} other items with it.`,
      })
    case 'unmet':
      return refuseLastAdmin(service.model, resource, method)
  }
}

/** What a PUT was to make at its URI and finds there now is no conflict: begin again. */
function isUriTaken({ kind, resource }: CollectionTarget | ItemTarget, columns: readonly string[]) {
  return kind === 'item' && columns.includes(resource.key?.name ?? '_identity')
}

/** An index of another program may be about none of the fields. */
function duplicate(resource: ResourceModel, columns: readonly string[]): Refusal {
  const names = columns.filter((name) => resource.field.has(name))
  if (names.length === 0) {
    return refuse('duplicate', {
      detail: `An item of '${resource.name}' has these values already.`,
    })
  }
  const detail = 'This value is already taken.'
  return refuse('duplicate', {
    detail: `${names.map((name) => `'${name}'`).join(', ')} must be unique in '${resource.name}'.`,
    errors: names.map((name) => ({ pointer: `/${name}`, rule: 'unique', detail })),
  })
}

function referenced(by: readonly string[]): Refusal {
  const named = by.length === 0 ? '' : `: ${by.slice(0, 3).join(', ')}${by.length > 3 ? ' …' : ''}`
  return refuse('referenced', {
    detail: `Other items refer to it${named}.`,
    members: by.length === 0 ? {} : { by },
  })
}

/** Only those that the caller may see; that something holds it is no secret, what holds it may be. */
async function findVisibleUris(
  service: ServiceContext,
  caller: Principal,
  holders: readonly ReferringRow[],
) {
  const uris = await Promise.all(
    holders.map(({ table, identity }) => {
      const resource = service.model.resources.get(table) as ResourceModel
      return findVisibleUri(service, caller, resource, identity)
    }),
  )
  return uris.filter((uri) => uri !== undefined)
}
