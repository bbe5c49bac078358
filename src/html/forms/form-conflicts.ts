/** Conflicts between two edits: the one in a form, and the one that the item got after the form was made. */

import type { FieldModel, JsonValue } from '../../definition/model.ts'
import { isOriginal, isSameValue, parseOriginals } from '../../formats/form-originals.ts'
import { parseFormValues } from '../../formats/form-reader.ts'
import type { QueryPair } from '../../http/query-string.ts'
import { itemMembers } from '../../views/item-view.ts'
import type { ItemView } from '../../views/view.ts'

/**
 * The fields that both edits changed, to different values. A new value of a field that the caller does
 * not see, such as a password, is always a conflict. In a form without originals, so is every value
 * that differs from the current one.
 */
export function findConflicts(pairs: readonly QueryPair[], item: ItemView): readonly FieldModel[] {
  const { resource, fields } = item.visibleFields
  const originals = parseOriginals(pairs)
  const members = itemMembers(item)
  const isConflict = (field: FieldModel, value: JsonValue | undefined) => {
    if (!fields.includes(field)) return value !== undefined
    const current = members[field.name]
    const isChanged = (one: JsonValue | undefined) => !isOriginal(originals, field, one)
    return isChanged(value) && isChanged(current) && !isSameValue(field, value, current)
  }
  return [...parseFormValues(resource, pairs)]
    .filter(([field, value]) => isConflict(field, value))
    .map(([field]) => field)
}
