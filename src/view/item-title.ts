/** What an item is called among people: the field that tells it apart for them. */

import type { FieldModel, ResourceModel } from '../definition/model.ts'
import { memoizeByObject } from '../tools/memoize.ts'

const usualTitleNames = ['title', 'name', 'label', 'subject', 'headline']

/** A text that everyone who may read the item sees; undefined where there is none but the id. */
export function findTitleField(resource: ResourceModel): FieldModel | undefined {
  return titleFields(resource) ?? undefined
}

const titleFields = memoizeByObject((resource: ResourceModel) => chooseTitleField(resource) ?? null)

function chooseTitleField({ fields, field, key }: ResourceModel): FieldModel | undefined {
  const open = (one: FieldModel | undefined) =>
    one?.kind === 'text' && !one.visibleTo && !one.writeOnly
  for (const name of usualTitleNames) {
    const named = field.get(name)
    if (open(named)) return named
  }
  return fields.find((one) => open(one) && one !== key) ?? (open(key) ? key : undefined)
}
