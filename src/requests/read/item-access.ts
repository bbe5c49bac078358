/** Access to the item at the target, decided once it is loaded: 404, 301, 410, 401 and 403. */

import { callerRefusal } from '../../access/access-refusal.ts'
import { findBasisRefusal } from '../../access/credential-basis.ts'
import type { Principal } from '../../access/principal.ts'
import { rightRefusal } from '../../access/right-refusal.ts'
import { rightsOf } from '../../access/rights.ts'
import { parseId } from '../../definition/item-id.ts'
import type { ResourceModel } from '../../definition/model.ts'
import { type Refusal, refuse } from '../../refusal.ts'
import { canBeTrue, never } from '../../store/condition.ts'
import type { Tombstone } from '../../store/store.ts'
import { formUriOf, referenceUri } from '../../views/uri.ts'
import { createsAtUri, operationOf, type TargetMethod } from '../context/operation-of.ts'
import { hasTarget, type RequestContext } from '../context/request-context.ts'
import type { Unit } from '../context/service-context.ts'
import type { FileTarget, ItemTarget, Target } from '../context/target.ts'
import { neededRight } from '../decisions/permission.ts'
import { cacheControlOfError, varyOf } from '../respond/cacheability.ts'
import { type EarlyResponse, movedPermanently } from '../respond/early-response.ts'
import type { AbsentItem, CurrentState, FoundItem } from './current-state.ts'
import { isFileListTarget } from './file-in-row.ts'

/**
 * Refuses 404 or 410 when the item is absent or hidden, 401 or 403 when the caller may not perform
 * the method on it; redirects with 301 when it has another URI now. The item of a sub-collection is
 * its parent.
 */
export async function requireItemAccess(context: RequestContext, current: CurrentState): Promise<void> {
  if (current.kind === 'absent') return requirePresence(context, current)
  if (current.kind !== 'found') return
  if (!current.isPermitted) throw current.isReadable ? refusalOf(context) : notFoundOrHidden()
  if (hasTarget(context, 'file')) requireFileAccess(context, current)
  if (hasTarget(context, 'storedFile') && !current.file) throw notFoundOrHidden()
}

/** The 403 of a caller who sees the item; the 401 of an anonymous one. */
function refusalOf({ caller, target, method }: RequestContext): Refusal {
  if (target.kind === 'asterisk' || target.kind === 'document') return callerRefusal(caller)
  const refusal = target.kind === 'item' ? findBasisRefusal(target.resource, caller) : undefined
  return refusal ?? rightRefusal(caller, target.resource, neededRight({ target, method }))
}

/**
 * Refuses 404 for a file that is absent, and where its field is hidden: what a PUT responds would reveal
 * whether there is one. Refuses 403 where the caller may not write the field.
 */
function requireFileAccess(
  context: RequestContext<FileTarget>,
  { file, rights, isTrue, isReadable }: FoundItem,
): void {
  const { caller, target } = context
  const operation = operationOf(context)
  const { field } = target
  if (!isReadable || !isTrue(rights.visibility.get(field) ?? never)) throw notFoundOrHidden()
  if (operation.right === 'update' && !isTrue(rights.writability.get(field) ?? never)) {
    throw callerRefusal(caller, `Your account may not change '${field.name}'.`)
  }
  if (file || isFileListTarget(target)) return
  // Clients do not name the files of a list.
  if (!operation.mayCreate || target.fileId !== undefined) throw notFoundOrHidden()
}

/** Passes for a PUT that may create the absent item. */
async function requirePresence(
  { unit, caller, method, target }: RequestContext,
  current: AbsentItem,
): Promise<void> {
  const item = itemOf(target)
  if (!item) return
  const isNew = current.movedTo === undefined && isCreation({ target, method }, current)
  if (isNew && target.kind === 'item' && canBeTrue(rightsOf(target.resource, caller).create)) {
    return requirePossibleId(target)
  }
  throw await absenceOf({ unit, caller, target }, item.resource, current)
}

/** The item that the path of the target begins with. */
function itemOf(target: Target): Pick<ItemTarget, 'resource' | 'id'> | undefined {
  switch (target.kind) {
    case 'item':
      return target.within ?? target
    case 'element':
    case 'file':
    case 'storedFile':
      return target
    case 'action':
      return target.id === undefined ? undefined : { resource: target.resource, id: target.id }
    case 'collection':
      return target.parent
    case 'document':
      return target.item ?? target.collection?.parent
    default:
      return undefined
  }
}

/** The 301, 404 or 410 for an item that is absent or hidden. The history of a deleted item is 404; the audit has it. */
export async function absenceOf(
  { unit, caller, target }: Pick<RequestContext, 'unit' | 'caller' | 'target'>,
  resource: ResourceModel,
  { movedTo, tombstone }: AbsentItem,
): Promise<Refusal | EarlyResponse> {
  if (movedTo !== undefined) return movedTarget(unit, target, movedTo)
  const isHistory = target.kind === 'document' && target.document.showsHistory
  if (!isHistory && (await couldReadDeleted(unit, caller, resource, tombstone))) {
    return refuse('gone', { detail: 'The item was deleted.' })
  }
  return notFoundOrHidden()
}

/** 301 for every method, with the rest of the path and the query as they were sent. */
function movedTarget({ model }: Pick<Unit, 'model'>, target: Target, itemUri: string) {
  const item = itemOf(target)
  if (!item) throw new Error('Only targets of items move')
  const formerUri = referenceUri(model, item.resource, item.id)
  const isForm = target.kind === 'document' && (target.document.editsItem === true || target.collection)
  const moved = isForm ? formUriOf(model, itemUri) : itemUri
  const former = isForm ? formUriOf(model, formerUri) : formerUri
  return movedResponse(target, moved + target.path.slice(former.length))
}

/** 301 to the URI, with the query as it was sent. */
export function movedResponse(target: Target, uri: string): EarlyResponse {
  const location = target.query === undefined ? uri : `${uri}?${target.query}`
  const fields = { 'Cache-Control': cacheControlOfError(301, target), Vary: varyOf(target) }
  return movedPermanently(location, fields)
}

/** Whether the request creates the item at its target. */
export function isCreation(request: TargetMethod, current: CurrentState): boolean {
  const { target } = request
  return (
    target.kind === 'item' && current.kind === 'absent' && createsAtUri(operationOf(request), target.resource)
  )
}

/** Refuses 404 when no item can have the id. */
function requirePossibleId({ resource, id }: ItemTarget): void {
  if (parseId(resource, id) === undefined) throw refuse('not-found', { detail: 'No item can have this id.' })
}

/** Whether the caller could read the item before it was deleted. */
async function couldReadDeleted(
  { store }: Unit,
  caller: Principal,
  resource: ResourceModel,
  tombstone: Tombstone | undefined,
): Promise<boolean> {
  if (!tombstone) return false
  return store.satisfies(resource.name, tombstone.values, rightsOf(resource, caller).read)
}

/** The same 404 for an absent item and for a hidden one. */
export function notFoundOrHidden() {
  return refuse('not-found', { detail: "This page doesn't exist, or you don't have access to it." })
}
