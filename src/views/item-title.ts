/** The fields that the titles of items on HTML pages have. */

import { type FieldModel, holdsMailAddress, type ResourceModel, type Stored } from '../definition/model.ts'
import type { TitlePart } from '../definition/title-template.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { ItemView } from './view.ts'

/** A part of the titles of a resource. */
export interface TitleField extends Omit<TitlePart, 'field' | 'of'> {
  readonly field: FieldModel
  /** Of the item that the field refers to, the field that is shown; undefined: the field itself. */
  readonly of: FieldModel | undefined
}

/** The stored value of a field of an item; none where the reader does not see it. */
export type StoredIn = (field: FieldModel) => Stored | undefined

const usualTitleNames = ['title', 'name', 'label', 'subject', 'headline']

/** The declared title, or a text or an email that every reader of the item sees; empty if there is none. */
export const titleFields = memoizeByObject((resource: ResourceModel): readonly TitleField[] => {
  const { title } = resource.presentation
  if (!title) {
    const field = chooseTitleField(resource)
    return field ? [{ field, of: undefined, separator: '', before: '', after: '' }] : []
  }
  return title.flatMap((part) => {
    const field = resource.fieldByName.get(part.field)
    const of = part.of === undefined ? undefined : field?.ref?.resource.fieldByName.get(part.of)
    return field ? [{ ...part, field, of }] : []
  })
})

/** The values of an item as far as its reader sees them. */
export function storedInView({ row, visibleFields: { fields } }: ItemView): StoredIn {
  return (field) => (fields.includes(field) ? row[field.index] : null)
}

/** The first field of the item itself in its titles, by which lists are sorted; undefined if there is none. */
export function findTitleField(resource: ResourceModel): FieldModel | undefined {
  return titleFields(resource).find(({ of }) => of === undefined)?.field
}

function chooseTitleField({ fields, fieldByName, keyField }: ResourceModel): FieldModel | undefined {
  const isOpen = (one: FieldModel | undefined) => one !== undefined && !one.visibleTo && !one.writeOnly
  const open = (one: FieldModel | undefined) => one?.kind.isText && isOpen(one)
  for (const name of usualTitleNames) {
    const named = fieldByName.get(name)
    if (open(named)) return named
  }
  const text = fields.find((one) => open(one) && one !== keyField) ?? (open(keyField) ? keyField : undefined)
  return text ?? fields.find((one) => holdsMailAddress(one) && isOpen(one))
}
