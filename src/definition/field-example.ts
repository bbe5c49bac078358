/** Examples of fields and items. Likely values are validated against the schema; without a valid one there is no example. */

import { findFileModel } from './file-fields.ts'
import { compileKindSchema } from './kind-schema.ts'
import { exampleTime } from './kinds/time.ts'
import { exampleUuid } from './kinds/uuid.ts'
import { type FieldModel, type JsonValue, outputFields, type ResourceModel } from './model.ts'
import { beginValidation } from './schema-keywords.ts'

type Members = Readonly<Record<string, JsonValue>>

/** Returns an item with all members, and one without those that an item can lack. */
export function exampleItems(resource: ResourceModel): readonly [whole: Members, least: Members] {
  const shown = outputFields(resource).filter(({ writeOnly }) => !writeOnly)
  const exampleOf = (fields: readonly FieldModel[]): Members => {
    const values = Object.fromEntries(
      fields.flatMap((field) => {
        const value = fieldExample(resource, field)
        return value === undefined ? [] : [[field.name, value] as const]
      }),
    )
    const id = String(values[resource.keyField?.name ?? ''] ?? exampleUuid)
    return { id, ...values, createdAt: exampleTime, updatedAt: exampleTime }
  }
  return [exampleOf(shown), exampleOf(shown.filter(({ required }) => required))]
}

/** Returns a valid value of the field in its canonical form, or undefined. */
export function fieldExample(resource: ResourceModel, field: FieldModel): JsonValue | undefined {
  const fitting = candidates(field).find(valueCheck(resource, field))
  if (fitting === undefined || field.ref || findFileModel(field) || field.kind.isHashed) return fitting
  const stored = field.encode(fitting)
  // Canonical: a decimal with all its digits, an address in lower case.
  return stored === null ? undefined : field.decode(stored)
}

/** Only a json field has a schema of the definition, which the resource compiles once. */
function valueCheck(resource: ResourceModel, { name, kind, schema }: FieldModel) {
  if (kind.shape === 'json') return (value: JsonValue) => resource.validate({ [name]: value }).length === 0
  const findViolations = compileKindSchema(schema)
  return (value: JsonValue) => {
    beginValidation()
    return findViolations(value).length === 0
  }
}

function candidates(field: FieldModel): readonly JsonValue[] {
  const { schema } = field
  if (field.state) return [field.state.initial]
  if (field.refs) return likelyValues(field)
  const declared = [field.default, ...([schema.examples, schema.enum].flat() as JsonValue[])]
  return [...declared, ...likelyValues(field)].filter((value) => value !== undefined)
}

function likelyValues({ kind, schema, item, members }: FieldModel): readonly JsonValue[] {
  if (members) return [likelyObjects(members, Number(schema.minItems ?? 1))]
  return item ? likelyList(item, Number(schema.minItems ?? 1)) : kind.examples(schema)
}

function likelyObjects(members: ResourceModel, least: number): JsonValue {
  const values = members.fields.flatMap((field) => {
    const value = fieldExample(members, field)
    return value === undefined ? [] : [[field.name, value] as const]
  })
  return new Array(Math.max(1, least)).fill(Object.fromEntries(values))
}

function likelyList(item: FieldModel, least: number): readonly JsonValue[] {
  const values = candidates(item)
  return [...values.map((value) => Array(Math.max(least, 1)).fill(value) as JsonValue[]), values, []]
}
