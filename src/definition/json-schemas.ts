/**
 * JSON Schema 2020-12 documents of a resource: of an item, and of the content of POST, PUT and merge
 * patches. They contain what a visibility allows: everything, or what one caller may see.
 */

import { isFileList } from './file-fields.ts'
import { idSchema } from './item-id.ts'
import { timestampSchema } from './kinds/time.ts'
import {
  type FieldModel,
  type InverseRelation,
  type JsonSchema,
  type NestedRelation,
  outputFields,
  type ResourceModel,
} from './model.ts'

/** Whether something holds for no row, for some rows, or for every row. */
export type Extent = 'never' | 'sometimes' | 'always'

/** The fields that the readers of a schema see and may write. */
export interface Visibility {
  sees(field: FieldModel): Extent
  writes(field: FieldModel): Extent
}

/** Everything that some caller sees or writes. */
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

/** Returns the schema of an item. A field that is not visible on every row is not required. */
export function rowSchema(resource: ResourceModel, visibility = fullVisibility): JsonSchema {
  const required = outputFields(resource).filter(
    (field) => field.required && visibility.sees(field) === 'always',
  )
  return objectSchema(resource.name, {
    description: formatUniqueSets(resource, visibility),
    properties: rowProperties(resource, visibility),
    required: ['id', 'createdAt', 'updatedAt', ...namesOf(required)],
  })
}

function rowProperties(resource: ResourceModel, visibility: Visibility) {
  const visible = outputFields(resource).filter((field) => visibility.sees(field) !== 'never')
  return {
    id: { ...idSchema(resource.keyField), readOnly: true },
    createdAt: { ...timestampSchema, readOnly: true },
    updatedAt: { ...timestampSchema, readOnly: true },
    ...members(visible, (field) => shownSchema(resource, field)),
  }
}

/** A file is shown with all its members; a request needs only `href`. */
function shownSchema(resource: ResourceModel, field: FieldModel): JsonSchema {
  const schema = annotateSchema(resource, field)
  if (isFileList(field)) return { ...schema, items: withAllMembers(schema.items as JsonSchema) }
  return field.file ? withAllMembers(schema) : schema
}

function withAllMembers(schema: JsonSchema): JsonSchema {
  return { ...schema, required: Object.keys(schema.properties as JsonSchema) }
}

/** Returns the schema of the content of POST. A state may only have its initial value. */
export function createSchema(resource: ResourceModel, visibility = fullVisibility): JsonSchema {
  const writable = writableFields(resource, visibility)
  const required = writable.filter(
    (field) => field.required && field.default === undefined && field.state === undefined,
  )
  return objectSchema(`${resource.name}: create`, {
    description: formatUniqueSets(resource, visibility),
    properties: {
      ...members(writable, (field) => ({
        ...annotateSchema(resource, field),
        ...(field.state && { enum: [field.state.initial] }),
      })),
      ...(resource.traits.asksForPassword && currentPasswordMember(resource)),
    },
    required: namesOf(required),
  })
}

/** Returns the schema of an item in the content of POST of the one that it refers to, which it does not name. */
export function nestedItemSchema(
  { field, target }: InverseRelation,
  { sees, writes }: Visibility = fullVisibility,
): JsonSchema {
  const visibility: Visibility = { sees, writes: (one) => (one === field ? 'never' : writes(one)) }
  const { $schema: _dialect, ...schema } = createSchema(target, visibility)
  return schema
}

/** Returns the schema of a member with such items, or with one. */
export function nestedSchema({ isOne }: NestedRelation, item: JsonSchema): JsonSchema {
  return isOne ? item : { type: 'array', items: item, maxItems: maxNestedItems }
}

/** The most items that one request creates together with an item. */
export const maxNestedItems = 1000

/**
 * Returns the schema of the content of PUT: an item that was read, edited and sent back. Fields that
 * are not writable, and immutable ones, may be sent unchanged. Fields that the sender does not see are not required.
 */
export function replaceSchema(resource: ResourceModel, visibility = fullVisibility): JsonSchema {
  const properties = rowProperties(resource, visibility)
  const writable = replaceableFields(resource, visibility)
  const required = writable.filter(
    (field) =>
      field.required &&
      field.default === undefined &&
      field.state === undefined &&
      !field.immutable &&
      visibility.sees(field) === 'always' &&
      !(field === resource.keyField && resource.put === 'create'),
  )
  const names = new Set(namesOf(writable))
  const fixed = Object.entries(properties).filter(([name]) => !names.has(name))
  return objectSchema(`${resource.name}: replace`, {
    description: formatUniqueSets(resource, visibility),
    properties: {
      ...Object.fromEntries(fixed.map(([name, schema]) => [name, asUnchanged(schema as JsonSchema)])),
      ...members(writable, (field) => annotateSchema(resource, field)),
      ...currentPasswordMember(resource),
    },
    required: namesOf(required),
  })
}

/** Without `readOnly`, which in OpenAPI forbids a property in requests. */
function asUnchanged({ readOnly: _readOnly, ...schema }: JsonSchema): JsonSchema {
  return { ...schema, description: 'Must be unchanged or absent.', 'x-fixed': true }
}

/**
 * Returns the schema of a merge patch (RFC 7396): null removes an optional field. Visible immutable fields may be
 * sent unchanged.
 */
export function patchSchema(resource: ResourceModel, visibility = fullVisibility): JsonSchema {
  const sendable = writableFields(resource, visibility).filter(
    (field) => !field.immutable || visibility.sees(field) !== 'never',
  )
  const changes = members(sendable, (field) => {
    const merged = mergedSchema(resource, field)
    return field.immutable ? asUnchanged(merged) : merged
  })
  return objectSchema(`${resource.name}: change`, {
    description: formatUniqueSets(resource, visibility),
    properties: {
      id: asUnchanged(idSchema(resource.keyField)),
      ...changes,
      ...currentPasswordMember(resource),
    },
    required: [],
  })
}

function mergedSchema(resource: ResourceModel, field: FieldModel): JsonSchema {
  if (field.kind.shape === 'json') return { description: mergePatchDescription }
  return field.required && field.default === undefined
    ? annotateSchema(resource, field)
    : { anyOf: [annotateSchema(resource, field), { type: 'null' }] }
}

/** Returns a sentence for each unique set whose fields are all visible or writable. */
export function formatUniqueSets(
  { uniqueSets }: ResourceModel,
  { sees, writes }: Visibility = fullVisibility,
): string {
  const isKnown = (field: FieldModel) => sees(field) !== 'never' || writes(field) !== 'never'
  return uniqueSets
    .filter((fields) => fields.every(isKnown))
    .map((fields) => `No two items have the same combination of ${namesOf(fields).join(', ')}.`)
    .join(' ')
}

/** `currentPassword`, in writes of an account and of its credentials. */
function currentPasswordMember(resource: ResourceModel): JsonSchema {
  const { currentPassword } = resource
  return currentPassword ? members([currentPassword], (field) => annotateSchema(resource, field)) : {}
}

/** RFC 7396 §2: only the merged result has to be a valid value of the field. */
const mergePatchDescription = 'Merged into the present value. The result must be a valid value of the field.'

interface ObjectMembers {
  /** May be empty. */
  readonly description: string
  readonly properties: JsonSchema
  readonly required: readonly string[]
}

function objectSchema(title: string, members: ObjectMembers): JsonSchema {
  const { description, properties, required } = members
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...(description !== '' && { description }),
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function writableFields({ fields }: ResourceModel, { writes }: Visibility): readonly FieldModel[] {
  return fields.filter((field) => writes(field) !== 'never')
}

/** Fields of an existing item that a request may set. */
function changeableFields(resource: ResourceModel, visibility: Visibility): readonly FieldModel[] {
  return writableFields(resource, visibility).filter((field) => !field.immutable)
}

/** A PUT that creates an item sets its immutable fields. */
function replaceableFields(resource: ResourceModel, visibility: Visibility) {
  return resource.put === 'create'
    ? writableFields(resource, visibility)
    : changeableFields(resource, visibility)
}

function members(fields: readonly FieldModel[], schemaOf: (field: FieldModel) => JsonSchema): JsonSchema {
  return Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)]))
}

function annotateSchema(resource: ResourceModel, field: FieldModel): JsonSchema {
  return {
    ...(refersToItself(field) && { $id: `urn:restwell:${resource.name}:${field.name}` }),
    ...field.schema,
    ...(field.label !== undefined && { title: field.label }),
    ...describeField(field),
    ...(field.default !== undefined && { default: field.default }),
    ...((field.readOnly || field.fromPrincipal) && { readOnly: true }),
    ...(field.writeOnly && { writeOnly: true }),
  }
}

/** The help for people, the description of the schema, and whether the value can change. */
function describeField({ help, schema, immutable }: FieldModel): JsonSchema {
  const note = immutable ? 'Set at creation; it cannot be changed afterwards.' : undefined
  const sentences = [help, schema.description, note].filter((one) => typeof one === 'string')
  return sentences.length === 0 ? {} : { description: sentences.join(' ') }
}

/** Such a schema needs an `$id`, so that `#` refers to it inside another document. */
function refersToItself({ kind, schema }: FieldModel): boolean {
  return kind.shape === 'json' && /"\$(?:ref|dynamicRef)":/.test(JSON.stringify(schema))
}

function namesOf(fields: readonly FieldModel[]): readonly string[] {
  return fields.map((field) => field.name)
}
