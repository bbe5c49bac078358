/** Examples of items and of content for descriptions; none where a required member has no example. */

import { fieldExample } from '../definition/field-example.ts'
import { exampleTime } from '../definition/kinds/time.ts'
import { exampleUuid } from '../definition/kinds/uuid.ts'
import { type FieldModel, type JsonValue, outputFields, type ResourceModel } from '../definition/model.ts'
import type { AudienceResource } from './permitted-resources.ts'

export type Example = Readonly<Record<string, JsonValue>>

/** Returns an item in its initial state; undefined when a required member has no example. */
export function rowExample(part: AudienceResource): Example | undefined {
  const { resource, sees } = part
  const seen = outputFields(resource).filter((field) => sees(field) !== 'never')
  const values = valuesOf(resource, seen, ({ required }) => required)
  if (!values) return undefined
  const id = resource.keyField ? values[resource.keyField.name] : exampleUuid
  if (id === undefined) return undefined
  return { id: String(id), ...values, createdAt: exampleTime, updatedAt: exampleTime }
}

/** Returns content for POST or PUT: all writable fields except states. */
export function createExample(part: AudienceResource): Example | undefined {
  const { resource, writes } = part
  const writable = resource.fields.filter((field) => writes(field) !== 'never' && !field.state)
  return valuesOf(resource, writable, (field) => field.required && field.default === undefined)
}

/** Returns content for an action; undefined when a required input has no example. */
export function inputExample(input: ResourceModel): Example | undefined {
  return valuesOf(input, input.fields, (field) => field.required && field.default === undefined)
}

/** Returns a merge patch of one field. */
export function patchExample(part: AudienceResource): Example | undefined {
  const { resource, writes } = part
  const writable = resource.fields.filter(
    (field) => writes(field) === 'always' && !field.unique && !field.immutable,
  )
  for (const field of writable) {
    const value = fieldExample(resource, field)
    if (value !== undefined) return { [field.name]: value }
  }
  return undefined
}

const maxOptionalFields = 10

function valuesOf(
  resource: ResourceModel,
  fields: readonly FieldModel[],
  isNeeded: (field: FieldModel) => boolean,
): Record<string, JsonValue> | undefined {
  const optional = fields.filter((field) => !isNeeded(field)).slice(0, maxOptionalFields)
  const shown = fields.filter((field) => isNeeded(field) || optional.includes(field))
  const entries = shown.map((field) => [field, fieldExample(resource, field)] as const)
  if (entries.some(([field, value]) => value === undefined && isNeeded(field))) return undefined
  const known = entries.filter(([, value]) => value !== undefined)
  return Object.fromEntries(known.map(([field, value]) => [field.name, value as JsonValue]))
}
