/**
 * Decides what a viewer sees of an entry of the change log, under the rights that its caller has now.
 * An entry is visible where the item is readable as it was then and as it is now. An item that leaves
 * the view is reported as deleted, without its values. An entry that changes nothing visible is hidden.
 */

import type { ResourceModel } from '../definition/model.ts'
import type { Condition } from '../store/condition.ts'
import type { Store } from '../store/store.ts'
import { idOf } from '../view/uri.ts'
import type { ItemView } from '../view/view.ts'
import type { ConditionResult, FieldSelector, VisibleFields } from '../view/visible-fields.ts'
import type { LoggedEntry } from './logged-entry.ts'
import type { RowJudge } from './row-judge.ts'
import type { ViewedResource, Viewer } from './viewer.ts'

export type VisibleChange = VisibleItem | DepartedItem | ViewReset

/** An item that was created or updated and is visible. */
export interface VisibleItem {
  readonly kind: 'created' | 'updated'
  readonly resource: ResourceModel
  readonly id: string
  readonly identity: string
  readonly version: number
  readonly at: string
  /** The item as the entry left it. */
  readonly item: ItemView
}

/** An item that was deleted, or left the view. */
export interface DepartedItem {
  readonly kind: 'deleted'
  readonly resource: ResourceModel
  /** Its last id that was visible. */
  readonly id: string
  readonly at: string
}

/** Other items may have entered or left the view: the reader must read the list again. */
export interface ViewReset {
  readonly kind: 'reset'
}

/** The changes that the viewer sees, in order: at most one of the item, and a reset. */
export async function findVisibleChanges(
  store: Store,
  logged: LoggedEntry,
  viewer: Viewer,
): Promise<readonly VisibleChange[]> {
  const { table, identity } = logged.entry
  const viewed = viewer.selections.get(table)
  const isFollowed = viewed && (viewed.identity === undefined || viewed.identity === identity)
  const change = isFollowed ? await findItemChange(logged, viewed) : undefined
  const isReset = await needsReset(store, logged, viewer)
  return [...(change ? [change] : []), ...(isReset ? [{ kind: 'reset' } as const] : [])]
}

async function needsReset(store: Store, logged: LoggedEntry, { dependencies }: Viewer): Promise<boolean> {
  for (const dependency of dependencies.get(logged.entry.table) ?? []) {
    if (await dependency.isAffected(store, logged)) return true
  }
  return false
}

async function findItemChange(
  logged: LoggedEntry,
  viewed: ViewedResource,
): Promise<VisibleItem | DepartedItem | undefined> {
  const { entry, resource, before, after, present } = logged
  const { rights, condition, selector } = viewed
  const isVisible =
    after !== undefined &&
    present !== undefined &&
    (await after.holds(condition)) &&
    (present === after || (await present.holds(rights.read)))
  const wasVisible = before !== undefined && (await before.holds(condition))
  if (isVisible) {
    const shape = await shapeIn(selector, after, present)
    if (wasVisible && !isVisiblyChanged(before, after, await shapeIn(selector, before, present), shape)) {
      return undefined
    }
    const item: ItemView = { kind: 'item', row: await after.shown(), shape }
    const { identity, version, at } = entry
    const kind = entry.kind === 'created' ? 'created' : 'updated'
    return { kind, resource, id: idOf(resource, after.values), identity, version, at, item }
  }
  // While the item is hidden now, its earlier values are hidden too, until the entry that hid it.
  if (!wasVisible || (after && (await after.holds(condition)))) return undefined
  return { kind: 'deleted', resource, id: idOf(resource, before.values), at: entry.at }
}

/** The shape of a row of the item: the fields that are visible in that row and in the row as it is now. */
export async function shapeIn(
  selector: FieldSelector,
  row: RowJudge,
  present: RowJudge,
): Promise<VisibleFields> {
  const [then, now] = [await judgeAll(selector, row), await judgeAll(selector, present)]
  return selector.shapeOf((condition) => then(condition) && now(condition))
}

/** The results of the conditions that the shape depends on. */
async function judgeAll({ conditions }: FieldSelector, row: RowJudge): Promise<ConditionResult> {
  const results = new Map<Condition, boolean>()
  for (const condition of conditions) results.set(condition, await row.holds(condition))
  return (condition) => results.get(condition) ?? condition.kind === 'always'
}

/** Whether a shown field has another value, or other fields are shown. The time of the change does not count. */
function isVisiblyChanged(before: RowJudge, after: RowJudge, was: VisibleFields, is: VisibleFields): boolean {
  return was !== is || is.fields.some(({ index }) => before.values[index] !== after.values[index])
}
