/** Named schemas for choices and states, which OpenAPI and generated code refer to. */

import type { FieldModel, JsonSchema, ResourceModel } from '../definition/model.ts'
import type { Components } from './component-registry.ts'
import { pascalCase } from './generated-names.ts'

export function isChoice(field: FieldModel | undefined): field is FieldModel {
  return field?.kind === 'choice' || field?.kind === 'state'
}

/** `Articles.status` */
export function choiceName(resource: ResourceModel, field: FieldModel): string {
  return `${pascalCase(resource.name)}.${field.name}`
}

/** Returns a reference to the named schema of the field. */
export function choiceReference(
  components: Components,
  resource: ResourceModel,
  field: FieldModel,
): JsonSchema {
  return components.refer('schemas', choiceName(resource, field), () => field.schema)
}
