/**
 * Decides what a viewer sees of an entry of the change log, under the rights that its caller has now.
 * An entry is visible where the item is readable as it was then and as it is now. An item that leaves
 * the view is reported as deleted, without its values. An entry that changes nothing visible is hidden. See
 * decision 0051.
 */

import { type FieldModel, type ResourceModel, VERSION } from '../../definition/model.ts'
import type { ItemMembers } from '../../definition/version-conversion.ts'
import type { Condition } from '../../store/condition.ts'
import type { Store } from '../../store/store.ts'
import { idOf } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import type { ConditionResult, FieldSelector, VisibleFields } from '../../views/visible-fields.ts'
import { changedNames, shownMembers } from '../versions/members-in-version.ts'
import type { LoadedEntry } from './loaded-entry.ts'
import type { RowEvaluator } from './row-evaluator.ts'
import type { ViewedResource, Viewer } from './viewer.ts'

export type VisibleChange = VisibleItemChange | ViewReset

/** A change of an item. */
export type VisibleItemChange = VisibleItem | DepartedItem

interface ChangedItem {
  /** That of its entry in the log. */
  readonly position: number
  readonly resource: ResourceModel
  /** The last one that was visible. */
  readonly id: string
  readonly identity: string
  /** That which the change made, also by a deletion. */
  readonly version: number
  readonly at: string
}

/** An item that was created or updated and is visible. */
export interface VisibleItem extends ChangedItem {
  readonly kind: 'created' | 'updated'
  /** The item as the entry left it. */
  readonly item: ItemView
  /** Its members, where they are not those of the present version of the interface. */
  readonly members?: ItemMembers
}

/** An item that was deleted, or left the view. */
export interface DepartedItem extends ChangedItem {
  readonly kind: 'deleted'
}

/** Other items may have entered or left the view: the reader must read the list again. */
export interface ViewReset {
  readonly kind: 'reset'
}

/** The changes that the viewer sees, in order: at most one of the item, and a reset. */
export async function findVisibleChanges(
  store: Store,
  logged: LoadedEntry,
  viewer: Viewer,
): Promise<readonly VisibleChange[]> {
  const { table, identity } = logged.entry
  const viewed = viewer.selections.get(table)
  const isFollowed = viewed && (viewed.identity === undefined || viewed.identity === identity)
  const change = isFollowed ? await findItemChange(logged, viewed) : undefined
  const isReset = await needsReset(store, logged, viewer)
  return [...(change ? [change] : []), ...(isReset ? [{ kind: 'reset' } as const] : [])]
}

async function needsReset(store: Store, logged: LoadedEntry, { dependencies }: Viewer): Promise<boolean> {
  for (const dependency of dependencies.get(logged.entry.table) ?? []) {
    if (await dependency.isAffected(store, logged)) return true
  }
  return false
}

async function findItemChange(
  logged: LoadedEntry,
  viewed: ViewedResource,
): Promise<VisibleItem | DepartedItem | undefined> {
  const { entry, resource, before, after, present } = logged
  const { rights, condition, selector, shown } = viewed
  const { position, identity, at } = entry
  const isVisible =
    after !== undefined &&
    present !== undefined &&
    (await after.isTrue(condition)) &&
    (present === after || (await present.isTrue(rights.read)))
  const wasVisible = before !== undefined && (await before.isTrue(condition))
  if (isVisible) {
    const visibleFields = await visibleFieldsIn(selector, after, present)
    const was = wasVisible ? await visibleFieldsIn(selector, before, present) : undefined
    if (was && before && !isVisiblyChanged(before, after, was, visibleFields)) return undefined
    const item = await viewOf(after, visibleFields)
    const kind = entry.kind === 'created' ? 'created' : 'updated'
    const { version } = entry
    const id = idOf(resource, after.values)
    const change = { kind, position, resource, id, identity, version, at, item } as const
    if (!shown) return change
    const members = shownMembers(item, shown)
    const former = was && before && (await viewOf(before, was))
    const isChanged = !former || changedNames(shownMembers(former, shown), members).length > 0
    return isChanged ? { ...change, members } : undefined
  }
  // While the item is hidden now, its earlier values are hidden too, until the entry that hid it.
  if (!wasVisible || (after && (await after.isTrue(condition)))) return undefined
  // One that no earlier change has, whether the item was deleted or hidden: the same one would show that none was hidden.
  const version = Number(before.values[VERSION]) + 1
  return { kind: 'deleted', position, resource, id: idOf(resource, before.values), identity, version, at }
}

async function viewOf(row: RowEvaluator, visibleFields: VisibleFields): Promise<ItemView> {
  return { kind: 'item', row: await row.loadWithKeys(), visibleFields }
}

/** The visible fields of a row of the item: those that are visible in that row and in the row as it is now. */
export async function visibleFieldsIn(
  selector: FieldSelector,
  row: RowEvaluator,
  present: RowEvaluator,
): Promise<VisibleFields> {
  const [then, now] = [await evaluateAll(selector, row), await evaluateAll(selector, present)]
  return selector.selectFields((condition) => then(condition) && now(condition))
}

/** The results of the conditions that they depend on. */
async function evaluateAll({ conditions }: FieldSelector, row: RowEvaluator): Promise<ConditionResult> {
  const results = new Map<Condition, boolean>()
  for (const condition of conditions) results.set(condition, await row.isTrue(condition))
  return (condition) => results.get(condition) ?? condition.kind === 'always'
}

/**
 * Whether a field shows another value. A field without a value shows as little as a field that is not
 * visible. The time of the change does not count.
 */
function isVisiblyChanged(
  before: RowEvaluator,
  after: RowEvaluator,
  was: VisibleFields,
  is: VisibleFields,
): boolean {
  const shownValue = ({ values }: RowEvaluator, { fields }: VisibleFields, field: FieldModel) =>
    fields.includes(field) ? (values[field.index] ?? null) : null
  const shown = [...was.fields, ...is.fields]
  return shown.some((field) => shownValue(before, was, field) !== shownValue(after, is, field))
}
