/**
 * Versions of an item as a viewer sees them, under the rights that its caller has now. A version is
 * visible where the item is readable as it was then and as it is now; so is each field. A version that
 * differs in nothing visible from the one before it is hidden.
 */

import { CREATED_AT, type JsonValue } from '../../definition/model.ts'
import type { ItemMembers } from '../../definition/version-conversion.ts'
import type { ChangeLogEntry } from '../../store/change-log.ts'
import { idOf } from '../../views/uri.ts'
import type { ItemView } from '../../views/view.ts'
import { changedNames, shownMembers } from '../versions/members-in-version.ts'
import type { LoadedEntry } from './loaded-entry.ts'
import type { RowEvaluator } from './row-evaluator.ts'
import type { ViewedResource } from './viewer.ts'
import { visibleFieldsIn } from './visible-change.ts'

export interface ItemVersion {
  readonly entry: ChangeLogEntry
  /** The item as it was. */
  readonly item: ItemView
  /** Its members as the viewer gets them. */
  readonly members: ItemMembers
  /** The visible members that the version gave another value. */
  readonly changes: ReadonlyMap<string, ValueChange>
}

/** The value before and after; undefined where the item had none, or where it was hidden. */
export interface ValueChange {
  readonly from: JsonValue | undefined
  readonly to: JsonValue | undefined
}

/** The version that the entry made; undefined where the viewer does not see it. */
export async function findItemVersion(
  { entry, before, after, present }: LoadedEntry,
  { condition, selector, shown }: Pick<ViewedResource, 'condition' | 'selector' | 'shown'>,
): Promise<ItemVersion | undefined> {
  if (!after || !present || !(await after.isTrue(condition))) return undefined
  if (present !== after && !(await present.isTrue(condition))) return undefined
  // A deleted item may have had the same identity.
  if (present.values[CREATED_AT] !== after.values[CREATED_AT]) return undefined
  const view = async (row: RowEvaluator): Promise<ItemView> => {
    return {
      kind: 'item',
      row: await row.loadWithKeys(),
      visibleFields: await visibleFieldsIn(selector, row, present),
      formerOf: idOf(selector.resource, present.values),
    }
  }
  const item = await view(after)
  const wasVisible = before !== undefined && (await before.isTrue(condition))
  const members = shownMembers(item, shown)
  const changes = diffMembers(wasVisible ? shownMembers(await view(before), shown) : {}, members)
  return wasVisible && changes.size === 0 ? undefined : { entry, item, members, changes }
}

function diffMembers(before: ItemMembers, after: ItemMembers): ReadonlyMap<string, ValueChange> {
  return new Map(changedNames(before, after).map((name) => [name, { from: before[name], to: after[name] }]))
}
