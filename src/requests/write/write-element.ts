/** PUT and DELETE of an element of a set of references: both change the item that has the set. */

import { callerRefusal } from '../../access/access-refusal.ts'
import { IDENTITY } from '../../definition/model.ts'
import { formatPath } from '../../http/request-target.ts'
import { invalidContent } from '../../refusal.ts'
import { never } from '../../store/condition.ts'
import { collectionUri } from '../../views/uri.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ElementTarget } from '../context/target.ts'
import type { FoundItem } from '../read/current-state.ts'
import { findById, loadAbsence } from '../read/find-item.ts'
import { movedResponse, notFoundOrHidden } from '../read/item-access.ts'
import { isVisibleTo } from './draft-builder.ts'
import type { PlannedChange } from './planned-change.ts'
import { elementsIn, findIdentities, formatSet } from './reference-lookup.ts'
import { writeOneField } from './write-one-field.ts'
import { emptyResponse } from './written-response.ts'

/**
 * Refuses 404 or 403 for the set; 404 for a PUT where the caller may not see an item with the id of the
 * element. Redirects with 301 from an id that the item had before.
 */
export async function requireElementAccess(
  context: RequestContext<ElementTarget>,
  current: FoundItem,
): Promise<void> {
  requireWritableSet(context, current)
  const isAdded = context.method === 'PUT'
  if ((await (isAdded ? findAdded(context, current) : findRemoved(context))) !== undefined) return
  await redirectFormerElement(context)
  if (isAdded) throw notFoundOrHidden()
}

/** PUT: adds the element. Refuses 404 when its item was deleted since, 422 when the set is full. */
export async function addElement(
  context: RequestContext<ElementTarget>,
  current: FoundItem,
): Promise<PlannedChange> {
  const { field } = context.target
  const present = elementsIn(field, current.row)
  const identity = await findAdded(context, current)
  if (identity === undefined) throw notFoundOrHidden()
  const { max } = field.refs!
  const after = formatSet([...present, identity])
  if (!present.includes(identity) && present.length >= max) throw fullSet(field.name, max)
  return writeOneField(context, current, { value: after, response: emptyResponse })
}

/** DELETE: removes the element. The response is the same when the set does not have it. */
export async function removeElement(
  context: RequestContext<ElementTarget>,
  current: FoundItem,
): Promise<PlannedChange> {
  const removed = await findRemoved(context)
  const rest = elementsIn(context.target.field, current.row).filter((identity) => identity !== removed)
  return writeOneField(context, current, { value: formatSet(rest), response: emptyResponse })
}

/** The identity of the item that the caller may add, or that the set has already. */
async function findAdded(
  { unit, caller, target }: RequestContext<ElementTarget>,
  { row }: FoundItem,
): Promise<string | undefined> {
  const { field, element } = target
  // Fields of an element target are sets of references.
  const { resource } = field.refs!
  const lookup = { unit, caller, field, resource, kept: elementsIn(field, row) }
  return (await findIdentities(lookup, [element])).get(element)
}

async function findRemoved({ unit, target }: RequestContext<ElementTarget>) {
  const found = await findById(unit.store, target.field.refs!.resource, target.element, [])
  return found?.[IDENTITY]
}

/** 301 where an item that the caller may read had the id of the element before. */
async function redirectFormerElement({ unit, caller, target }: RequestContext<ElementTarget>) {
  const { resource, id, field, element } = target
  const absent = await loadAbsence(unit, caller, { resource: field.refs!.resource, id: element })
  if (absent.movedTo === undefined) return
  const present = absent.movedTo.slice(absent.movedTo.lastIndexOf('/'))
  const set = formatPath(collectionUri(unit.model, resource), [id, field.name])
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
