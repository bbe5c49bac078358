/** PUT and DELETE of an element of a set of references: both change the item that has the set. */

import { callerRefusal } from '../access/access-refusal.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ElementTarget } from '../context/target.ts'
import { IDENTITY } from '../definition/model.ts'
import { formatPath } from '../http/request-target.ts'
import type { FoundItem } from '../read/current-state.ts'
import { findById, loadAbsence } from '../read/find-item.ts'
import { movedResponse, notFoundOrHidden } from '../read/item-access.ts'
import { invalidContent } from '../refusal.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { never } from '../store/condition.ts'
import { collectionUri } from '../view/uri.ts'
import { isVisibleTo } from './draft-builder.ts'
import { elementsIn, findIdentities, formatSet } from './reference-lookup.ts'
import { writeOneField } from './write-one-field.ts'
import { emptyResponse } from './written-response.ts'

/** PUT: adds the element. Refuses 404 when the caller may not see such an item, 422 when the set is full. */
export async function addElement(
  context: RequestContext<ElementTarget>,
  current: FoundItem,
): Promise<ViewResponse> {
  const { service, caller, target } = context
  const { field, element } = target
  const { row } = current
  requireWritableSet(context, current)
  const present = elementsIn(field, row)
  // Fields of an element target are sets of references.
  const { resource, max } = field.refs!
  const lookup = { service, caller, field, resource, kept: present }
  const identity = (await findIdentities(lookup, [element])).get(element)
  if (identity === undefined) {
    await redirectFormerElement(context)
    throw notFoundOrHidden()
  }
  const after = formatSet([...present, identity])
  if (!present.includes(identity) && present.length >= max) throw fullSet(field.name, max)
  return writeOneField(context, current, { value: after, response: emptyResponse })
}

/** DELETE: removes the element. The response is the same when the set does not have it. */
export async function removeElement(
  context: RequestContext<ElementTarget>,
  current: FoundItem,
): Promise<ViewResponse> {
  const { service, target } = context
  const { field, element } = target
  requireWritableSet(context, current)
  const found = await findById(service.store, field.refs!.resource, element, [])
  if (!found) await redirectFormerElement(context)
  const rest = elementsIn(field, current.row).filter((identity) => identity !== found?.[IDENTITY])
  return writeOneField(context, current, { value: formatSet(rest), response: emptyResponse })
}

/** 301 where an item that the caller may read had the id of the element before. */
async function redirectFormerElement({ service, caller, target }: RequestContext<ElementTarget>) {
  const { resource, id, field, element } = target
  const absent = await loadAbsence(service, caller, { resource: field.refs!.resource, id: element })
  if (absent.movedTo === undefined) return
  const present = absent.movedTo.slice(absent.movedTo.lastIndexOf('/'))
  const set = formatPath(collectionUri(service.model, resource), [id, field.name])
  throw movedResponse(target, set + present)
}

/**
 * Refuses 404 for a set that the caller does not see, because the response and the version of the item
 * would reveal its elements; 403 for a set that the caller may not write.
 */
function requireWritableSet(
  { caller, target }: RequestContext<ElementTarget>,
  { rights, isTrue }: FoundItem,
): void {
  const { resource, field } = target
  if (!isVisibleTo({ resource, rights, isTrue }, field)) throw notFoundOrHidden()
  if (isTrue(rights.writability.get(field) ?? never)) return
  throw callerRefusal(caller, `Your account may not change '${field.name}'.`)
}

function fullSet(name: string, max: number) {
  const detail = `Must have at most ${max} items.`
  return invalidContent([{ pointer: `/${name}`, rule: 'maxItems', detail }])
}
