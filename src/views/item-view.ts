/** Views of items, built from rows and the results of their checks. */

import { type JsonValue, rowWidth } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import { formerValue, shownValue } from './file-member.ts'
import { idOf } from './uri.ts'
import type { ItemView } from './view.ts'
import type { ConditionResult, FieldSelector, VisibleFields } from './visible-fields.ts'

/** The view of a row with the fields that its check results allow. */
export function createItemView(row: Row, selector: FieldSelector, isTrue: ConditionResult): ItemView {
  const visibleFields = selector.selectFields(isTrue)
  const view: ItemView = { kind: 'item', row: withDerivedSlots(row, visibleFields), visibleFields }
  if (!selector.buildLinks) return view
  return { ...view, hypermedia: { links: selector.buildLinks(row, visibleFields, isTrue), actions: [] } }
}

/** The row with empty places for the derived fields, which follow the stored values. */
export function withDerivedSlots(row: Row, { resource, derived }: VisibleFields): Row {
  if (derived.length === 0) return row
  const width = rowWidth(resource)
  return [...row.slice(0, width), ...resource.derived.map(() => null), ...row.slice(width)]
}

/** The members of an item as JSON values. */
export function itemMembers({ row, visibleFields, formerOf }: ItemView): Readonly<Record<string, JsonValue>> {
  const shown = [...visibleFields.fields, ...visibleFields.times].flatMap((field): [string, JsonValue][] => {
    const value =
      formerOf === undefined
        ? shownValue(visibleFields.resource, field, row)
        : formerValue(visibleFields.resource, field, { row, id: formerOf })
    return value === undefined ? [] : [[field.name, value]]
  })
  return Object.fromEntries([['id', idOf(visibleFields.resource, row)], ...shown])
}
