/** Examples of fields and items. Likely values are validated against the schema; without a valid one there is no example. */

import { beginValidation } from './bounded-keywords.ts'
import { findFileModel } from './file-fields.ts'
import { compileKindSchema } from './kind-schema.ts'
import { type FieldModel, type JsonValue, outputFields, type ResourceModel } from './model.ts'

/** The identity, and the time of the last change, of items in examples. */
export const exampleIdentity = '019a84c2-7c1e-7b3a-9d52-0c6f1e8a4b37'
export const exampleTime = '2026-11-15T09:30:00.000Z'

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
    const id = String(values[resource.keyField?.name ?? ''] ?? exampleIdentity)
    return { id, ...values, createdAt: exampleTime, updatedAt: exampleTime }
  }
  return [exampleOf(shown), exampleOf(shown.filter(({ required }) => required))]
}

/** Returns a valid value of the field in its canonical form, or undefined. */
export function fieldExample(resource: ResourceModel, field: FieldModel): JsonValue | undefined {
  const fitting = candidates(field).find(valueCheck(resource, field))
  if (fitting === undefined || field.ref || findFileModel(field) || field.kind === 'password') return fitting
  const stored = field.encode(fitting)
  // Canonical: a decimal with all its digits, an address in lower case.
  return stored === null ? undefined : field.decode(stored)
}

/** Only a json field has a schema of the definition, which the resource compiles once. */
function valueCheck(resource: ResourceModel, { name, kind, schema }: FieldModel) {
  if (kind === 'json') return (value: JsonValue) => resource.validate({ [name]: value }).length === 0
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

function likelyValues(field: FieldModel): readonly JsonValue[] {
  const { kind, schema, item } = field
  switch (kind) {
    case 'email':
      return ['ada@example.org']
    case 'url':
      return ['https://example.org/', 'https://e.org']
    case 'uuid':
      return [exampleIdentity]
    case 'ref':
      return [exampleIdentity, ...likelyTexts(schema), '1']
    case 'date':
      return ['2026-11-15']
    case 'timestamp':
      return [exampleTime]
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
