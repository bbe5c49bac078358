/** The limits of the values in a column, so that existing rows can be checked against a changed definition. */

import { isDeepStrictEqual } from '../tools/node-builtins.ts'
import type { FieldValues, PresentValue } from './field-kind.ts'
import { createValidator } from './field-validator.ts'
import { compareDecimals } from './kinds/decimal.ts'
import { storedFileSchema } from './kinds/file.ts'
import { storedFilesSchema } from './kinds/list.ts'
import type { FieldModel, JsonSchema, JsonValue } from './model.ts'
import { beginValidation } from './schema-keywords.ts'

/** The values that a column may have: those of its field, or those that stand for files and references. */
export type FieldLimits = Pick<FieldValues, 'kind' | 'schema' | 'encode' | 'decode'>

/** Limits as plain data, which a database keeps: the name of a kind, which may be unknown by now. */
export interface KeptLimits {
  readonly kind: string
  readonly schema: JsonSchema
}

export function formatFieldLimits({ kind, schema }: FieldLimits): KeptLimits {
  return { kind: kind.name, schema }
}

/** Returns the limits; undefined for references and hashed values, whose columns hold other values. */
export function fieldLimits({
  kind,
  schema,
  encode,
  decode,
  refs,
  file,
  item,
}: FieldModel): FieldLimits | undefined {
  // The column of a set holds identities, whatever the ids of its target are.
  if (refs) return { kind, schema: { type: 'array', maxItems: refs.max }, encode, decode }
  if (file) return { kind, schema: storedFileSchema, encode, decode }
  if (item?.file) return { kind, schema: storedFilesSchema(schema), encode, decode: parseJsonText }
  return kind.reference === 'one' || kind.isHashed ? undefined : { kind, schema, encode, decode }
}

function parseJsonText(stored: PresentValue): JsonValue {
  return JSON.parse(String(stored)) as JsonValue
}

/** Whether columns with these limits hold a file, or a list of files. */
export function holdsFiles({ kind, schema }: FieldLimits): boolean {
  return kind.shape === 'file' || isDeepStrictEqual(schema.items, storedFileSchema)
}

/** `unreadable`: the stored value cannot be decoded by the kind. */
export type Fit = 'fits' | 'unfitting' | 'unreadable'

/** Returns a function that checks a stored value against the limits. */
export function createFitCheck(limits: FieldLimits): (stored: PresentValue) => Fit {
  const validate = createValidator({ field: { ...limits, name: '', scale: undefined }, requirement: '' })
  return (stored) => {
    const value = readValue(limits, stored)
    if (value === undefined) return 'unreadable'
    beginValidation()
    return validate(value).length === 0 ? 'fits' : 'unfitting'
  }
}

function readValue({ kind, decode, encode }: FieldLimits, stored: PresentValue): JsonValue | undefined {
  try {
    const value = decode(stored)
    // Equal values in JSON have several texts.
    const isAmbiguous = kind.shape === 'list' || kind.shape === 'json' || kind.shape === 'file'
    return isAmbiguous || String(encode(value)) === String(stored) ? value : undefined
  } catch {
    // The value was stored by another kind.
    return undefined
  }
}

/** Returns the limits that may refuse values accepted before, such as `maxLength 50`. */
export function describeNarrowings(before: KeptLimits, after: FieldLimits): readonly string[] {
  const { name, shape } = after.kind
  if (before.kind !== name) return [`${name} instead of ${before.kind}`]
  const schema = roundTrip(after.schema)
  if (shape === 'json') return isDeepStrictEqual(before.schema, schema) ? [] : ['another JSON Schema']
  return narrowedKeywords(before.schema, withoutBoundPatterns(schema))
}

/** Beside `x-minimum` and `x-maximum` they only say the same again. */
function withoutBoundPatterns({ allOf, ...schema }: JsonSchema): JsonSchema {
  const isBounded = 'x-minimum' in schema || 'x-maximum' in schema
  return isBounded || allOf === undefined ? schema : { ...schema, allOf }
}

/** The schema as it is after storing it as JSON. */
function roundTrip(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema))
}

function narrowedKeywords(before: JsonSchema, after: JsonSchema): readonly string[] {
  return Object.entries(after).flatMap(([keyword, limit]) => {
    const previous = before[keyword]
    if (isDeepStrictEqual(previous, limit)) return []
    if (keyword === 'items') {
      const of = narrowedKeywords((previous ?? {}) as JsonSchema, limit as JsonSchema)
      return of.map((words) => `items of ${words}`)
    }
    return isWider(keyword, previous, limit) ? [] : [`${keyword} ${formatLimit(limit)}`]
  })
}

/** Whether the new limit certainly accepts every value of the old one. */
function isWider(keyword: string, previous: unknown, limit: unknown): boolean {
  if (keyword === 'uniqueItems') return limit !== true
  if (keyword === 'enum') {
    return Array.isArray(previous) && previous.every((value) => (limit as unknown[]).includes(value))
  }
  if (keyword.startsWith('x-m') && typeof previous === 'string') {
    const order = compareDecimals(String(limit), previous)
    return keyword === 'x-maximum' ? order >= 0 : order <= 0
  }
  if (typeof previous !== 'number' || typeof limit !== 'number') return false
  if (keyword.startsWith('max')) return limit >= previous
  return keyword.startsWith('min') && limit <= previous
}

function formatLimit(limit: unknown): string {
  return typeof limit === 'string' || typeof limit === 'number' ? String(limit) : JSON.stringify(limit)
}
