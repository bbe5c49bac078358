/** Which representations of an item have a date of modification (RFC 9110 §8.8.2). */

import { readsOtherRecords } from '../definition/rule.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { isReferenceByKey, seenFieldsWithValue } from './opaque-tag.ts'
import type { ItemView } from './view.ts'
import type { VisibleFields } from './visible-fields.ts'

/**
 * Whether only changes of the item change the representation, so that it was last modified when the
 * item was: no other item or link has an effect on it (RFC 9110 §8.8.2).
 */
export function isDatedByItem(view: ItemView): boolean {
  const { embedded, hypermedia, visibleFields } = view
  if (embedded || hypermedia || !isFixedByItem(visibleFields)) return false
  // Changes of these values are no public changes, which the date is of.
  return seenFieldsWithValue(view).length === 0
}

const isFixedByItem = memoizeByObject(
  ({ resource, fields, derived }: VisibleFields) =>
    derived.length === 0 &&
    !fields.some(isReferenceByKey) &&
    !resource.fields.some(({ visibleTo }) => visibleTo && readsOtherRecords(visibleTo)),
)
