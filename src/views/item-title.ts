/** The field that serves as the title of an item on HTML pages. */

import { type FieldModel, holdsMailAddress, type ResourceModel } from '../definition/model.ts'
import { memoizeByObject } from '../tools/memoize.ts'

const usualTitleNames = ['title', 'name', 'label', 'subject', 'headline']

/** The declared title, or a text or an email that every reader of the item sees; undefined if there is none. */
export function findTitleField(resource: ResourceModel): FieldModel | undefined {
  return titleFields(resource) ?? undefined
}

const titleFields = memoizeByObject((resource: ResourceModel) => chooseTitleField(resource) ?? null)

function chooseTitleField(resource: ResourceModel): FieldModel | undefined {
  const { fields, fieldByName, keyField, presentation } = resource
  if (presentation.title !== undefined) return fieldByName.get(presentation.title)
  const isOpen = (one: FieldModel | undefined) => one !== undefined && !one.visibleTo && !one.writeOnly
  const open = (one: FieldModel | undefined) => one?.kind.isText && isOpen(one)
  for (const name of usualTitleNames) {
    const named = fieldByName.get(name)
    if (open(named)) return named
  }
  const text = fields.find((one) => open(one) && one !== keyField) ?? (open(keyField) ? keyField : undefined)
  return text ?? fields.find((one) => holdsMailAddress(one) && isOpen(one))
}
