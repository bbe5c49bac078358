/** Inputs of forms of the service itself: fields like those of the input of an action, without table and URI. */

import { createFaultList } from './definition-fault.ts'
import { createValidator } from './field-validator.ts'
import type { FieldModel, ResourceModel } from './model.ts'
import { createResourceModel } from './resource-model.ts'

/** Returns the input with these fields. `validate` is for fields of a resource, with the names that they have here. */
export function createInputModel(
  name: string,
  fields: readonly FieldModel[],
  validate?: ResourceModel['validate'],
): ResourceModel {
  const validators = fields.map((field) => {
    const validator = createValidator({ field, requirement: 'Must not contain control characters.' })
    return [field.name, validator] as const
  })
  return {
    ...emptyInput,
    name,
    fields,
    fieldByName: new Map(fields.map((field) => [field.name, field])),
    validate:
      validate ??
      ((values) => validators.flatMap(([member, find]) => (member in values ? find(values[member]) : []))),
  }
}

const emptyInput = createResourceModel(
  { name: '', builtIn: undefined, options: {}, names: [], fields: [] },
  {
    declarations: new Map(),
    models: new Map(),
    faults: createFaultList(),
    accounts: undefined,
    accountRoles: undefined,
    base: '',
    logic: new Map(),
  },
)
