/** Choices and states: fields whose values are few, so that OpenAPI and generated code name them. */

import type { FieldModel, JsonSchema, ResourceModel } from '../definition/model.ts'
import type { Components } from './components.ts'
import { pascalCase } from './generated-names.ts'

export function isChoice(field: FieldModel | undefined): field is FieldModel {
  return field?.kind === 'choice' || field?.kind === 'state'
}

/** `Articles.status` */
export function choiceName(resource: ResourceModel, field: FieldModel): string {
  return `${pascalCase(resource.name)}.${field.name}`
}

/** A reference to the values of the field. */
export function choiceReference(
  components: Components,
  resource: ResourceModel,
  field: FieldModel,
): JsonSchema {
  return components.refer('schemas', choiceName(resource, field), () => field.schema)
}
