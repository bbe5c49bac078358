/**
 * JSON Schema 2020-12 documents of a resource: of a record, of what a POST, a PUT and a merge-patch
 * send. They describe what an outlook shows of it: all there is, or what one caller may see.
 */

import { idSchema } from './item-id.ts'
import { timestampSchema } from './kinds/time.ts'
import type { FieldModel, JsonSchema, ResourceModel } from './model.ts'

/** How far something holds: for no record, for some, or for every one. */
export type Extent = 'never' | 'sometimes' | 'always'

/** What of a resource is seen and may be written by those a schema is for. */
export interface Visibility {
  sees(field: FieldModel): Extent
  writes(field: FieldModel): Extent
}

/** All there is: what at least someone sees and writes. */
export const fullVisibility: Visibility = Object.freeze({
  sees: (field: FieldModel) => {
    if (field.writeOnly || field.visibleTo?.kind === 'nobody') return 'never'
    return field.visibleTo ? 'sometimes' : 'always'
  },
  writes: (field: FieldModel) => {
    const never = field.readOnly || field.fromPrincipal || field.writableBy?.kind === 'nobody'
    return never ? 'never' : field.writableBy ? 'sometimes' : 'always'
  },
})

/** A record. A field that not every reader sees is not required. */
export function rowSchema(resource: ResourceModel, visibility = fullVisibility): JsonSchema {
  const shown = resource.fields.filter((field) => visibility.sees(field) !== 'never')
  const system = {
    id: { ...idSchema(resource.key), readOnly: true },
    createdAt: { ...timestampSchema, readOnly: true },
    updatedAt: { ...timestampSchema, readOnly: true },
  }
  const required = shown.filter((field) => field.required && visibility.sees(field) === 'always')
  return objectSchema(resource.name, {
    properties: { ...system, ...members(shown, (field) => annotateSchema(resource, field)) },
    required: [...Object.keys(system), ...namesOf(required)],
  })
}

/** The content of a POST. A state begins where it must, so only its initial value is allowed. */
export function createSchema(resource: ResourceModel, visibility = fullVisibility): JsonSchema {
  const writable = writableFields(resource, visibility)
  const required = writable.filter(
    (field) => field.required && field.default === undefined && field.state === undefined,
  )
  return objectSchema(`${resource.name}: create`, {
    properties: members(writable, (field) => ({
      ...annotateSchema(resource, field),
      ...(field.state && { enum: [field.state.initial] }),
    })),
    required: namesOf(required),
  })
}

/**
 * The content of a PUT: what was got, edited and sent back. What may not be written may be sent as
 * it is; of what must be there, that may be left out which its sender does not see.
 */
export function replaceSchema(resource: ResourceModel, visibility = fullVisibility): JsonSchema {
  const { properties } = rowSchema(resource, visibility) as unknown as ObjectMembers
  const writable = writableFields(resource, visibility)
  const required = writable.filter(
    (field) =>
      field.required &&
      field.default === undefined &&
      field.state === undefined &&
      visibility.sees(field) === 'always' &&
      !(field === resource.key && resource.put === 'create'),
  )
  const names = new Set(namesOf(writable))
  const fixed = Object.entries(properties).filter(([name]) => !names.has(name))
  return objectSchema(`${resource.name}: replace`, {
    properties: {
      ...Object.fromEntries(
        fixed.map(([name, schema]) => [name, asUnchanged(schema as JsonSchema)]),
      ),
      ...members(writable, (field) => annotateSchema(resource, field)),
      ...currentPasswordMember(resource),
    },
    required: namesOf(required),
  })
}

/** Not `readOnly`, by which OpenAPI forbids it in requests: it may be there, and may not change. */
function asUnchanged({ readOnly: _readOnly, ...schema }: JsonSchema): JsonSchema {
  return { ...schema, description: 'As it is now, or left out.', 'x-fixed': true }
}

/** The content of a merge-patch (RFC 7396): null removes what may be absent. */
export function patchSchema(resource: ResourceModel, visibility = fullVisibility): JsonSchema {
  const changes = members(writableFields(resource, visibility), (field) => {
    if (field.kind === 'json') return { description: mergePatchDescription }
    return field.required && field.default === undefined
      ? annotateSchema(resource, field)
      : { anyOf: [annotateSchema(resource, field), { type: 'null' }] }
  })
  return objectSchema(`${resource.name}: change`, {
    properties: {
      id: asUnchanged(idSchema(resource.key)),
      ...changes,
      ...currentPasswordMember(resource),
    },
    required: [],
  })
}

/** What changes of one's own account may need besides its fields. */
function currentPasswordMember(resource: ResourceModel): JsonSchema {
  const { currentPassword } = resource
  return currentPassword
    ? members([currentPassword], (field) => annotateSchema(resource, field))
    : {}
}

/** RFC 7396 §2: what is sent need not be a value of the field, only its outcome must be. */
const mergePatchDescription = 'Merged into what is there; the result must be a value of the field.'

interface ObjectMembers {
  readonly properties: JsonSchema
  readonly required: readonly string[]
}

function objectSchema(title: string, { properties, required }: ObjectMembers): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function writableFields({ fields }: ResourceModel, { writes }: Visibility): readonly FieldModel[] {
  return fields.filter((field) => writes(field) !== 'never')
}

function members(
  fields: readonly FieldModel[],
  schemaOf: (field: FieldModel) => JsonSchema,
): JsonSchema {
  return Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]))
}

function annotateSchema(resource: ResourceModel, field: FieldModel): JsonSchema {
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
