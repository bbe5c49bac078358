/** Named schemas for choices, states and texts with a pattern, which OpenAPI and generated code refer to. */

import type { FieldModel, JsonSchema, ResourceModel } from '../definition/model.ts'
import type { Components } from './component-registry.ts'
import { pascalCase } from './generated-names.ts'

export function isChoice(field: FieldModel | undefined): field is FieldModel {
  return field !== undefined && field.kind.choices !== 'none'
}

/** Returns the choice that the field is, or that each entry of the list is. */
export function choiceOf(field: FieldModel | undefined): FieldModel | undefined {
  return [field, field?.item].find(isChoice)
}

/** `Articles.status` */
export function choiceName(resource: ResourceModel, field: FieldModel): string {
  return `${pascalCase(resource.name)}.${field.name}`
}

/** Returns a reference to the named schema of the field, or of each entry of the list. */
export function choiceReference(
  components: Components,
  resource: ResourceModel,
  field: FieldModel,
): JsonSchema {
  return components.refer('schemas', choiceName(resource, field), () => (field.item ?? field).schema)
}
