/**
 * JSON Schema 2020-12 documents of a resource: of a record, of what a POST sends and of what a
 * merge-patch sends. They describe the resource, not what one caller may see of it.
 */

import { idSchema } from './id.ts'
import { timestampSchema } from './kinds/time.ts'
import type { FieldModel, JsonSchema, ResourceModel } from './model.ts'

/** A record. A field that not every reader sees is not required. */
export function rowSchema(resource: ResourceModel): JsonSchema {
  const shown = resource.fields.filter((field) => !field.writeOnly)
  const system = {
    id: { ...idSchema(resource.key), readOnly: true },
    createdAt: { ...timestampSchema, readOnly: true },
    updatedAt: { ...timestampSchema, readOnly: true },
  }
  const required = shown.filter((field) => field.required && field.visibleTo === undefined)
  return document(resource.name, {
    properties: { ...system, ...members(shown, (field) => annotated(resource, field)) },
    required: [...Object.keys(system), ...namesOf(required)],
  })
}

/** The content of a POST. A state begins where it must, so only its initial value is allowed. */
export function createSchema(resource: ResourceModel): JsonSchema {
  const writable = resource.fields.filter(isWritable)
  const required = writable.filter(
    (field) => field.required && field.default === undefined && field.state === undefined,
  )
  return document(`${resource.name}: create`, {
    properties: members(writable, (field) => ({
      ...annotated(resource, field),
      ...(field.state && { enum: [field.state.initial] }),
    })),
    required: namesOf(required),
  })
}

/** The content of a merge-patch (RFC 7396): null removes what may be absent. */
export function patchSchema(resource: ResourceModel): JsonSchema {
  return document(`${resource.name}: change`, {
    properties: members(resource.fields.filter(isWritable), (field) =>
      field.required
        ? annotated(resource, field)
        : { anyOf: [annotated(resource, field), { type: 'null' }] },
    ),
    required: [],
  })
}

interface Contents {
  readonly properties: JsonSchema
  readonly required: readonly string[]
}

function document(title: string, { properties, required }: Contents): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function isWritable(field: FieldModel): boolean {
  return !field.readOnly && !field.fromPrincipal
}

function members(
  fields: readonly FieldModel[],
  schemaOf: (field: FieldModel) => JsonSchema,
): JsonSchema {
  return Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]))
}

function annotated(resource: ResourceModel, field: FieldModel): JsonSchema {
  return {
    ...(refersToItself(field) && { $id: `urn:restwell:${resource.name}:${field.name}` }),
    ...field.schema,
    ...(field.default !== undefined && { default: field.default }),
    ...((field.readOnly || field.fromPrincipal) && { readOnly: true }),
    ...(field.writeOnly && { writeOnly: true }),
  }
}

/** Such a schema needs a name of its own, so that `#` still means it inside another document. */
function refersToItself({ kind, schema }: FieldModel): boolean {
  return kind === 'json' && /"\$(?:ref|dynamicRef)":/.test(JSON.stringify(schema))
}

function namesOf(fields: readonly FieldModel[]): readonly string[] {
  return fields.map((field) => field.name)
}
