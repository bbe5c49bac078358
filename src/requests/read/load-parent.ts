/** Loads the item that a sub-collection belongs to. */

import { rightsOf } from '../../access/rights.ts'
import { subCollectionRights } from '../../access/sub-collection-rights.ts'
import { IDENTITY, type Stored } from '../../definition/model.ts'
import { all, type Condition, equals } from '../../store/condition.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget, ParentTarget } from '../context/target.ts'
import type { AbsentItem, ParentItem } from './current-state.ts'
import { findById, hiddenItem, loadAbsence } from './find-item.ts'

/** The parent; an absent item when a GET of it would not be 200 for the caller. */
export async function loadParent(
  { unit, caller }: Pick<RequestContext, 'unit' | 'caller'>,
  { resource, id, relation }: ParentTarget,
): Promise<ParentItem | AbsentItem> {
  const rights = rightsOf(resource, caller)
  const checks = createRowChecks(resource, [rights.read])
  const row = await findById(unit.store, resource, id, checks.conditions)
  if (!row) return loadAbsence(unit, caller, { resource, id })
  return checks.readResults(row)(rights.read) ? { kind: 'parent', resource, relation, row } : hiddenItem
}

/** The rows of a collection that the caller may read: all of them, or those that refer to its parent. */
export function readConditionOf(
  { resource, parent: parentTarget }: CollectionTarget,
  caller: RequestContext['caller'],
  parent: ParentItem | undefined,
): Condition {
  if (!parentTarget) return rightsOf(resource, caller).list
  if (!parent) throw new Error('The parent of a sub-collection is loaded before its rows')
  const { read } = subCollectionRights(parentTarget.relation, caller)
  return all([equals([parentTarget.relation.field.name], identityOf(parent)), read])
}

/** The identity that the references of the sub-collection hold. */
export function identityOf({ row }: ParentItem): Exclude<Stored, null> {
  return row[IDENTITY] as string
}
