/** The fields of an item that the content of a POST carries, as forms have them: `record.organisation`. */

import { memoizeByObject } from '../tools/memoize.ts'
import { nameInWords } from './english-labels.ts'
import type { FieldModel, NestedRelation, ResourceModel } from './model.ts'

export interface CarriedField {
  readonly relation: NestedRelation
  /** The field of the item. */
  readonly own: FieldModel
  /** The same with its name in forms. No other field has a name with a dot. */
  readonly field: FieldModel
}

/** Those of all items that the content carries, without the references that the service sets. */
export const carriedFields = memoizeByObject(({ nested }: ResourceModel): readonly CarriedField[] =>
  nested.flatMap((relation) => {
    const { name, target, isOne } = relation
    const fields = isOne ? target.fields.filter((own) => own !== relation.field) : []
    return fields.map((own) => {
      const label = own.label ?? nameInWords(own.name)
      return { relation, own, field: { ...own, name: `${name}.${own.name}`, label } }
    })
  }),
)

/** The JSON Pointer of a field of a form. */
export function fieldPointer(name: string): string {
  return `/${name.replace('.', '/')}`
}
