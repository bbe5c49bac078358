/** Finds the item that a path segment names, or the reason why there is none. */

import type { Principal } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { ResourceModel, Stored } from '../../definition/model.ts'
import type { Condition } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import type { Store } from '../../store/store.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import { itemUri } from '../../views/uri.ts'
import type { Unit } from '../context/service-context.ts'
import type { ItemTarget } from '../context/target.ts'
import type { AbsentItem } from './current-state.ts'

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

/** The URI of the item with that identity; undefined when it is hidden or deleted. */
export async function findVisibleUri(
  { model, store }: Pick<Unit, 'model' | 'store'>,
  caller: Principal,
  resource: ResourceModel,
  identity: string,
): Promise<string | undefined> {
  const row = await findReadableRow(store, caller, resource, identity)
  return row && itemUri(model, resource, row)
}

async function findReadableRow(store: Store, caller: Principal, resource: ResourceModel, identity: string) {
  const { read } = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [read])
  const { conditions: evaluated } = checks
  const row = await store.find({ table: resource.name, column: '_identity', value: identity, evaluated })
  return row && checks.readResults(row)(read) ? row : undefined
}

interface OwnAccount {
  readonly uri: string
  readonly resource: ResourceModel
  readonly row: Row
}

/** The caller's account and its URI; undefined when the caller has none or may not read it. */
export async function findOwnAccount(
  { model, store }: Pick<Unit, 'model' | 'store'>,
  caller: Principal,
): Promise<OwnAccount | undefined> {
  const resource = model.accounts?.resource
  if (caller.kind !== 'account' || !resource?.itemMethods.has('GET')) return undefined
  const row = await findReadableRow(store, caller, resource, caller.identity)
  return row && { uri: itemUri(model, resource, row), resource, row }
}
