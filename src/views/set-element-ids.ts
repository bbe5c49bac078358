/** The elements of sets of references in views. */

import type { FieldModel, ResourceModel } from '../definition/model.ts'
import type { ItemView } from './view.ts'

/** The ids in the set that the item shows; none when it does not show the field. */
export function elementIdsOf({ row, visibleFields }: ItemView, field: FieldModel): readonly string[] {
  return visibleFields.fields.includes(field) ? parseSet(row[field.outputIndex]) : []
}

/** The identities in the sets that the items show, each once. */
export function elementIdentitiesOf(items: readonly ItemView[], field: FieldModel): readonly string[] {
  const shown = items.filter(({ visibleFields }) => visibleFields.fields.includes(field))
  return [...new Set(shown.flatMap(({ row }) => parseSet(row[field.index])))]
}

function parseSet(stored: unknown): readonly string[] {
  return typeof stored === 'string' ? (JSON.parse(stored) as readonly string[]) : []
}

/** The key of a referenced item in the titles of a page: its identity, or its key within its collection. */
export function titleKey({ name, keyField }: ResourceModel, id: string): string {
  return keyField ? `${name}/${id}` : id
}
