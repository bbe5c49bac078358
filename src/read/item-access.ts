/** Access to the item at the target, once it is loaded: 404, 301, 410, 401 and 403. */

import { refuseCaller } from '../access/authorize.ts'
import type { Principal } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { Method, RequestContext } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { ItemTarget } from '../context/target.ts'
import { parseId } from '../definition/item-id.ts'
import type { ResourceModel } from '../definition/model.ts'
import { refuse } from '../refusal.ts'
import { cacheControlOfError, varyOf } from '../respond/cacheability.ts'
import { movedPermanently } from '../respond/early-response.ts'
import type { MaybePromise, Tombstone } from '../store/store.ts'
import type { AbsentItem, CurrentState } from './current-state.ts'

/** Refuses what is not there, or not there for this caller: 404, 410, 401, 403; or answers 301. */
export function requireItemAccess(
  context: RequestContext,
  current: CurrentState,
): MaybePromise<void> {
  if (current.kind === 'absent') return requireCreation(context, current)
  if (current.kind !== 'found' || current.isPermitted) return
  throw current.isReadable ? refuseCaller(context.caller) : notFoundOrHidden()
}

export async function requireCreation(
  { service, caller, method, target }: RequestContext,
  current: AbsentItem,
) {
  if (target.kind !== 'item') return
  if (current.movedTo !== undefined) throw movedItem(target, current.movedTo)
  if (isCreation(method, target.resource, current) && mayCreate(caller, target)) return
  if (await couldReadDeleted(service, caller, target.resource, current.tombstone)) {
    throw refuse('gone', { detail: 'The item was deleted.' })
  }
  throw notFoundOrHidden()
}

/** To every method, with the query as it was sent (CONTRACT 3). */
export function movedItem(target: ItemTarget, uri: string) {
  const location = target.query === undefined ? uri : `${uri}?${target.query}`
  const fields = { 'Cache-Control': cacheControlOfError(301, target), Vary: varyOf(target) }
  return movedPermanently(location, fields)
}

/** PUT may make an item where the resource lets clients name its items. */
export function isCreation(
  method: Method,
  resource: ResourceModel,
  current: CurrentState,
): boolean {
  return createsAtUri(method, resource) && current.kind === 'absent'
}

export function createsAtUri(method: Method, { put }: ResourceModel): boolean {
  return method === 'PUT' && put === 'create'
}

/** Refuses an id that no item can have; false for whoever may not create: to them it is absent. */
export function mayCreate(caller: Principal, { resource, id }: ItemTarget): boolean {
  if (rightsOf(resource, caller).create.kind === 'never') return false
  if (parseId(resource, id) !== undefined) return true
  throw refuse('not-found', { detail: 'No item can be here: it could not have this id.' })
}

export async function couldReadDeleted(
  { store }: ServiceContext,
  caller: Principal,
  resource: ResourceModel,
  tombstone: Tombstone | undefined,
): Promise<boolean> {
  if (!tombstone) return false
  return store.satisfies(resource.name, tombstone.values, rightsOf(resource, caller).read)
}

/** The same for what is absent and for what is hidden. */
export function notFoundOrHidden() {
  return refuse('not-found', { detail: "This page doesn't exist, or you don't have access to it." })
}
