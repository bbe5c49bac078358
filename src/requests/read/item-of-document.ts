/** Loads the item of a document below it, or of the form that edits it. */

import type { Principal } from '../../access/principal.ts'
import { type Rights, rightsOf } from '../../access/rights.ts'
import type { Condition } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { actionConditions } from '../../views/item-actions.ts'
import { createItemView } from '../../views/item-view.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import type { ItemView } from '../../views/view.ts'
import { type ConditionResult, createFieldSelector } from '../../views/visible-fields.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { DocumentedItem, DocumentTarget } from '../context/target.ts'
import { findById, hiddenItem, loadAbsence } from './find-item.ts'
import { absenceOf } from './item-access.ts'

/** An item that the caller may read. */
export interface ReadableItem {
  readonly rights: Rights
  readonly row: Row
  /** The results of the conditions of the actions, and of those that were asked for. */
  readonly isTrue: ConditionResult
  readonly view: ItemView
}

export interface DocumentContext {
  readonly service: ServiceContext
  readonly caller: Principal
  readonly target: DocumentTarget
}

export function itemOfDocument({ target }: Pick<DocumentContext, 'target'>): DocumentedItem {
  if (!target.item) throw new Error('The document does not belong to an item')
  return target.item
}

/** The item of the target, with the results of these conditions; refuses 404, 410 and 301. */
export async function loadDocumentedItem(
  context: DocumentContext,
  conditions: readonly Condition[] = [],
): Promise<ReadableItem> {
  const { service: unit, caller, target } = context
  const { resource, id } = itemOfDocument(context)
  const rights = rightsOf(resource, caller)
  const selector = createFieldSelector(rights, 'list')
  const needed = [rights.read, ...conditions, ...selector.conditions, ...actionConditions(rights)]
  const checks = createRowChecks(resource, needed)
  const row = await findById(unit.store, resource, id, checks.conditions)
  if (!row)
    throw await absenceOf(
      { unit, caller, target },
      resource,
      await loadAbsence(unit, caller, { resource, id }),
    )
  const isTrue = checks.readResults(row)
  if (!isTrue(rights.read)) throw await absenceOf({ unit, caller, target }, resource, hiddenItem)
  return { rights, row, isTrue, view: createItemView(row, selector, isTrue) }
}
