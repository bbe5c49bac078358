/** Finds the item that a path segment names, or the reason why there is none. */

import type { Principal } from '../../access/principal.ts'
import type { ResourceModel, Stored } from '../../definition/model.ts'
import type { Condition } from '../../store/condition.ts'
import type { Store } from '../../store/store.ts'
import type { Unit } from '../context/service-context.ts'
import type { ItemTarget } from '../context/target.ts'
import type { AbsentItem } from './current-state.ts'
import { findVisibleUri } from './visible-uri.ts'

/** The row whose URI ends in the id, with the results of the conditions. */
export function findById(
  store: Store,
  resource: ResourceModel,
  id: string,
  conditions: readonly Condition[],
) {
  const value = keyValue(resource, id)
  if (value === undefined) return undefined
  const column = resource.keyField?.name ?? '_identity'
  return store.find({ table: resource.name, column, value, evaluated: conditions })
}

/** The path segment as the key's column holds it; undefined when no item can have that id. */
export function keyValue({ keyField }: ResourceModel, id: string): Exclude<Stored, null> | undefined {
  if (keyField?.kind.shape !== 'number') return id
  return /^(0|-?[1-9]\d{0,15})$/.test(id) ? Number(id) : undefined
}

/** The state of an id that no item has now: where the item is that had it, or what remains of it. */
export async function loadAbsence(
  unit: Unit,
  caller: Principal,
  { resource, id }: Pick<ItemTarget, 'resource' | 'id'>,
): Promise<AbsentItem> {
  const movedTo = await findMovedUri(unit, caller, resource, id)
  const tombstone = await findTombstone(unit.store, resource, id)
  return { kind: 'absent', tombstone, movedTo, isHidden: false }
}

/** An item that the caller cannot tell from an absent one. */
export const hiddenItem: AbsentItem = {
  kind: 'absent',
  tombstone: undefined,
  movedTo: undefined,
  isHidden: true,
}

function findTombstone(store: Store, resource: ResourceModel, id: string) {
  return resource.tombstones ? store.findTombstone(resource.name, id) : undefined
}

/** The present URI of the item that had the id before; undefined when the caller may not read it. */
async function findMovedUri(
  unit: Unit,
  caller: Principal,
  resource: ResourceModel,
  id: string,
): Promise<string | undefined> {
  if (!resource.keyField) return undefined
  const identity = await unit.store.findIdentityByFormerId(resource.name, id)
  if (identity === undefined) return undefined
  return findVisibleUri(unit, caller, resource, identity)
}
