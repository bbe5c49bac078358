/**
 * Which change of an item counts as its last one for a caller: the last one, or the last one that every
 * reader sees. Its version and its time are what entity tags, `updatedAt`, filters and sort orders use. See
 * decision 0102.
 */

import type { ChangePlace, FieldModel } from '../definition/model.ts'
import { lastChange, updatedAt } from '../definition/system-fields.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { Rights } from './rights.ts'

/** The place of the change. A caller who does not see a field of every item gets the last public change. */
export const shownChange = memoizeByObject(({ resource, visibility }: Rights): ChangePlace => {
  const { publicChange, fields } = resource
  if (!publicChange) return lastChange
  const seesAll = fields.every((field) => field.writeOnly || visibility.get(field)?.kind === 'always')
  return seesAll ? lastChange : publicChange
})

/** Whether the caller sees the last change of every item. */
export function seesAllChanges(rights: Rights): boolean {
  return shownChange(rights) === lastChange
}

/** The column with the values that the caller sees of the field. */
export function shownColumn(rights: Rights, { name }: FieldModel): string {
  return name === updatedAt.name ? shownChange(rights).timeColumn : name
}

/** Whether the caller sees no restricted field of any item, so that public changes are all that it sees. */
export const seesPublicChangesOnly = memoizeByObject((rights: Rights): boolean => {
  const { resource, visibility } = rights
  const restricted = resource.fields.filter(({ visibleTo }) => visibleTo)
  const isHidden = (field: FieldModel) => visibility.get(field)?.kind === 'never'
  return !seesAllChanges(rights) && restricted.every(isHidden)
})
