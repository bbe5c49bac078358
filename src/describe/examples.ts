/** Examples for descriptions. Likely values are validated against the schema; without a valid one there is no example. */

import { findFileModel } from '../definition/file-fields.ts'
import { type FieldModel, type JsonValue, outputFields, type ResourceModel } from '../definition/model.ts'
import type { AudienceResource } from './permitted-resources.ts'
import { matchesFieldSchema } from './schema-match.ts'

export type Example = Readonly<Record<string, JsonValue>>

/** Returns an item in its initial state; undefined when a required member has no example. */
export function rowExample(part: AudienceResource): Example | undefined {
  const { resource, sees } = part
  const seen = outputFields(resource).filter((field) => sees(field) !== 'never')
  const values = valuesOf(resource, seen, ({ required }) => required)
  if (!values) return undefined
  const id = resource.keyField ? values[resource.keyField.name] : identity
  const moment = '2026-11-15T09:30:00.000Z'
  if (id === undefined) return undefined
  return { id: String(id), ...values, createdAt: moment, updatedAt: moment }
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

const identity = '019a84c2-7c1e-7b3a-9d52-0c6f1e8a4b37'

/** Returns a valid value of the field in its canonical form, or undefined. */
export function fieldExample(resource: ResourceModel, field: FieldModel): JsonValue | undefined {
  // Only the schema of a json field needs the compiled validator.
  const fitting = candidates(field).find((value) =>
    field.kind === 'json'
      ? resource.validate({ [field.name]: value }).length === 0
      : matchesFieldSchema(field.schema, value),
  )
  if (fitting === undefined || field.ref || findFileModel(field) || field.kind === 'password') return fitting
  const stored = field.encode(fitting)
  // Canonical: a decimal with all its digits, an address in lower case.
  return stored === null ? undefined : field.decode(stored)
}

function candidates(field: FieldModel): readonly JsonValue[] {
  const { schema } = field
  if (field.state) return [field.state.initial]
  if (field.refs) return likelyValues(field)
  const declared = [field.default, ...([schema.examples, schema.enum].flat() as JsonValue[])]
  return [...declared, ...likelyValues(field)].filter((value) => value !== undefined)
}

function likelyValues(field: FieldModel): readonly JsonValue[] {
  const { kind, schema, item } = field
  switch (kind) {
    case 'email':
      return ['ada@example.org']
    case 'url':
      return ['https://example.org/', 'https://e.org']
    case 'uuid':
      return [identity]
    case 'ref':
      return [identity, ...likelyTexts(schema), '1']
    case 'date':
      return ['2026-11-15']
    case 'timestamp':
      return ['2026-11-15T09:30:00.000Z']
    case 'boolean':
      return [true]
    case 'integer':
    case 'number':
      return [1, 10, schema.minimum, schema.maximum].filter((one) => typeof one === 'number')
    case 'decimal':
      return ['9.5', '1', schema['x-minimum'], schema['x-maximum']].filter((one) => typeof one === 'string')
    case 'list':
    case 'refs':
      return item ? likelyList(item, Number(schema.minItems ?? 1)) : []
    case 'json':
      return [{}, [], 'Example', 1, true]
    case 'file':
      return [fileExample]
    case 'password':
      return ['correct horse battery staple'.padEnd(Number(schema.minLength ?? 0), ' staple')]
    default:
      return likelyTexts(schema)
  }
}

const fileExample: JsonValue = {
  href: '/files/example',
  name: 'example.png',
  type: 'image/png',
  size: 1234,
  digest: 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:',
}

function likelyList(item: FieldModel, least: number): readonly JsonValue[] {
  const values = candidates(item)
  return [...values.map((value) => Array(Math.max(least, 1)).fill(value) as JsonValue[]), values, []]
}

/** Texts that match usual patterns, and one of the required length. */
function likelyTexts({ minLength = 0, maxLength = 1000 }: FieldModel['schema']): readonly string[] {
  const fitted = 'Example'.padEnd(Number(minLength), ' and more').slice(0, Number(maxLength))
  return [fitted, ...forms]
}

const forms = [
  ...'example-1 EXAMPLE-1 example EXAMPLE a A ab AB abc ABC abcd ABCD a1 A1 1 12 123 1234 12345'.split(' '),
  ...'123456 1234567890 en de-DE en_GB EUR 1.0.0 #3366ff 3366ff 09:30 +4930123456 A-1 A-100'.split(' '),
  ...'AB-123 ABC-123 ab-12 A1B2C3 /example example.org 2026 2026-11 0x1f a_b A_B'.split(' '),
]
