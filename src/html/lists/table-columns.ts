/** The columns of a table of items: the title first, then other short fields and derived ones. */

import { rightsOf } from '../../access/rights.ts'
import { cleanText } from '../../definition/kinds/text.ts'
import { type FieldModel, outputFields } from '../../definition/model.ts'
import { systemFields, updatedAt } from '../../definition/system-fields.ts'
import { findTitleField, titleFields } from '../../views/item-title.ts'
import type { CollectionView } from '../../views/view.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { findParameter, parseListLocation } from './list-location.ts'

const maxColumns = 7
const maxShortText = 500

export interface TableColumns {
  /** The field that links to the item; undefined if the id does. */
  readonly title: FieldModel | undefined
  /** Also the times of creation and of the last change, as far as the table shows them. */
  readonly others: readonly FieldModel[]
}

/**
 * The columns that `fields` names; without it, those of the definition; without them, short fields and the time of the
 * last change. The further fields of the title come before them.
 */
export function chooseColumns(layout: PageLayout, view: CollectionView): TableColumns {
  const { resource } = view
  const named = findParameter(parseListLocation(layout), 'fields')?.split(',')
  const seen = seenFields(view)
  const wanted = findTitleField(resource)
  const title = wanted && seen.stored.includes(wanted) ? wanted : undefined
  const further = titleFields(resource)
    .map(({ field }) => field)
    .filter((field, at, all) => field !== title && seen.stored.includes(field) && all.indexOf(field) === at)
  const isOther = (field: FieldModel) => field !== title && field !== view.parentField
  const isFurther = (field: FieldModel) => !further.includes(field)
  const all = [...seen.stored, ...seen.derived, ...timeFields].filter(isOther)
  if (named) return { title, others: all.filter(({ name }) => named.includes(name)) }
  const { columns } = resource.presentation
  if (columns) {
    const declared = columns.flatMap((name) => all.find((one) => one.name === name) ?? [])
    return { title, others: [...further.filter((field) => !declared.includes(field)), ...declared] }
  }
  const short = seen.stored.filter((field) => isOther(field) && isFurther(field) && isShort(field))
  const stored = [...further, ...short].slice(0, Math.max(further.length, maxColumns - seen.derived.length))
  return { title, others: [...stored, ...seen.derived.slice(0, maxColumns), updatedAt] }
}

const timeFields: readonly FieldModel[] = [...systemFields.values()]

/** The fields that any item of the page shows; of an empty page, those that every caller sees. */
function seenFields({ resource, items }: CollectionView) {
  const shown = new Set<FieldModel>()
  for (const { visibleFields } of items) for (const field of visibleFields.fields) shown.add(field)
  const isSeen = (field: FieldModel) => (items.length === 0 ? isPublic(field) : shown.has(field))
  const derived = resource.derived.map(({ field }) => field).filter((field) => shown.has(field))
  return { stored: resource.fields.filter(isSeen), derived }
}

/** All columns that the caller can choose. */
export function listColumns({ caller }: PageLayout, { resource }: CollectionView): readonly FieldModel[] {
  const { visibility } = rightsOf(resource, caller)
  const shown = outputFields(resource).filter((field) => visibility.get(field)?.kind !== 'never')
  return [...shown, ...timeFields]
}

function isPublic({ visibleTo, writeOnly }: FieldModel): boolean {
  return !visibleTo && !writeOnly
}

function isShort({ kind, schema }: FieldModel): boolean {
  if (kind.shape === 'json') return false
  return !kind.isText || Number(schema.maxLength) <= maxShortText || schema.pattern !== cleanText
}

export function isNumeric({ kind }: FieldModel): boolean {
  return kind.order === 'amount'
}
