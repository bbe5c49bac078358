/** The columns of a table of items: the title first, then other short fields and derived ones. */

import { cleanText } from '../../definition/kinds/text.ts'
import type { FieldModel } from '../../definition/model.ts'
import { findTitleField } from '../../view/item-title.ts'
import type { CollectionView } from '../../view/view.ts'

const maxColumns = 7
const maxShortText = 500

export interface TableColumns {
  /** The field that links to the item; undefined if the id does. */
  readonly title: FieldModel | undefined
  readonly others: readonly FieldModel[]
}

export function chooseColumns({ resource, items, parentField }: CollectionView): TableColumns {
  const shown = new Set<FieldModel>()
  for (const { visibleFields } of items) for (const field of visibleFields.fields) shown.add(field)
  const isSeen = (field: FieldModel) => (items.length === 0 ? isPublic(field) : shown.has(field))
  const seen = resource.fields.filter(isSeen)
  const derived = resource.derived.map(({ field }) => field).filter((field) => shown.has(field))
  const wanted = findTitleField(resource)
  const title = wanted && seen.includes(wanted) ? wanted : undefined
  const others = seen.filter((field) => field !== title && field !== parentField && isShort(field))
  const stored = others.slice(0, Math.max(0, maxColumns - derived.length))
  return { title, others: [...stored, ...derived.slice(0, maxColumns)] }
}

function isPublic({ visibleTo, writeOnly }: FieldModel): boolean {
  return !visibleTo && !writeOnly
}

function isShort({ kind, schema }: FieldModel): boolean {
  if (kind === 'json') return false
  return kind !== 'text' || Number(schema.maxLength) <= maxShortText || schema.pattern !== cleanText
}

export function isNumeric({ kind }: FieldModel): boolean {
  return kind === 'integer' || kind === 'number' || kind === 'decimal'
}
