/** The titles of items on HTML pages, and the fields that they have. */

import { type FieldModel, holdsMailAddress, type ResourceModel, type Stored } from '../definition/model.ts'
import type { TitlePart } from '../definition/title-template.ts'
import { memoizeByObject } from '../tools/memoize.ts'

/** A part of the titles of a resource. */
export interface TitleField extends Omit<TitlePart, 'field'> {
  readonly field: FieldModel
}

const usualTitleNames = ['title', 'name', 'label', 'subject', 'headline']

/** The declared title, or a text or an email that every reader of the item sees; empty if there is none. */
export const titleFields = memoizeByObject((resource: ResourceModel): readonly TitleField[] => {
  const { title } = resource.presentation
  if (!title) {
    const field = chooseTitleField(resource)
    return field ? [{ field, separator: '', before: '', after: '' }] : []
  }
  return title.flatMap((part) => {
    const field = resource.fieldByName.get(part.field)
    return field ? [{ ...part, field }] : []
  })
})

/** The first field of the titles, by which lists are sorted; undefined if there is none. */
export function findTitleField(resource: ResourceModel): FieldModel | undefined {
  return titleFields(resource)[0]?.field
}

/** The title with these values; empty where no part has one. A value that the reader does not see counts as missing. */
export function formatTitle(
  resource: ResourceModel,
  storedIn: (field: FieldModel) => Stored | undefined,
): string {
  let title = ''
  for (const { field, separator, before, after } of titleFields(resource)) {
    const stored = storedIn(field) ?? null
    const text = stored === null ? '' : String(field.decode(stored)).trim()
    if (text !== '') title += `${title === '' ? '' : separator}${before}${text}${after}`
  }
  return title
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
