/** The members of an item as a viewer gets them, in an older version of the interface where it asked for one. */

import type { InterfaceVersion } from '../../definition/interface-version.ts'
import { downMembers, type ItemMembers } from '../../definition/version-conversion.ts'
import { itemMembers } from '../../views/item-view.ts'
import type { ItemView } from '../../views/view.ts'

export interface ShownVersion {
  readonly version: InterfaceVersion
  /** The members that the viewer chose; undefined: all. */
  readonly members?: ReadonlySet<string> | undefined
}

/** The members; throws ConversionFailure. */
export function shownMembers(item: ItemView, shown: ShownVersion | undefined): ItemMembers {
  const members = itemMembers(item)
  if (!shown) return members
  const old = downMembers(shown.version, item.visibleFields.resource, members)
  const { members: chosen } = shown
  return chosen ? Object.fromEntries(Object.entries(old).filter(([name]) => chosen.has(name))) : old
}

/** The id and the times are those of a version of the item itself. */
const ownMembers: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

/** The names of the members that differ, besides the id and the times. */
export function changedNames(before: ItemMembers, after: ItemMembers): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]).difference(ownMembers)
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}
