/** Which fields a table shows: what tells items apart first, nothing that needs a page of its own. */

import { cleanText } from '../../definition/kinds/text.ts'
import type { FieldModel } from '../../definition/model.ts'
import { titleField } from '../../view/item-title.ts'
import type { CollectionView } from '../../view/view.ts'

const mostColumns = 7
const longText = 500

export interface Columns {
  /** What leads to the item; undefined: its id does. */
  readonly title: FieldModel | undefined
  readonly others: readonly FieldModel[]
}

export function columnsOf({ resource, items }: CollectionView): Columns {
  const shown = new Set<FieldModel>()
  for (const { shape } of items) for (const field of shape.fields) shown.add(field)
  const seen = resource.fields.filter((field) =>
    items.length === 0 ? isOpen(field) : shown.has(field),
  )
  const wanted = titleField(resource)
  const title = wanted && seen.includes(wanted) ? wanted : undefined
  const others = seen.filter((field) => field !== title && isShort(field))
  return { title, others: others.slice(0, mostColumns) }
}

function isOpen({ visibleTo, writeOnly }: FieldModel): boolean {
  return !visibleTo && !writeOnly
}

function isShort({ kind, schema }: FieldModel): boolean {
  if (kind === 'json') return false
  return kind !== 'text' || Number(schema.maxLength) <= longText || schema.pattern !== cleanText
}

export function isNumeric({ kind }: FieldModel): boolean {
  return kind === 'integer' || kind === 'number' || kind === 'decimal'
}
