/**
 * The limits of a field as plain data, stored beside the rows, so that existing rows can be checked
 * against a changed definition.
 */

import { isDeepStrictEqual } from '../tools/node-builtins.ts'
import { beginValidation } from './bounded-keywords.ts'
import type { KindName, PresentValue } from './field-kind.ts'
import { createValidator } from './field-validator.ts'
import { compareDecimals } from './kinds/decimal.ts'
import { fieldKinds } from './kinds/field-kinds.ts'
import { storedFileSchema } from './kinds/file.ts'
import { storedFilesSchema } from './kinds/list.ts'
import type { FieldModel, JsonSchema, JsonValue } from './model.ts'

export interface FieldLimits {
  readonly kind: KindName
  readonly schema: JsonSchema
}

/** Returns the limits; undefined for references and passwords, whose columns hold other values. */
export function fieldLimits({ kind, schema, refs, item }: FieldModel): FieldLimits | undefined {
  // The column of a set holds identities, whatever the ids of its target are.
  if (refs) return { kind, schema: { type: 'array', maxItems: refs.max } }
  if (kind === 'file') return { kind, schema: storedFileSchema }
  if (item?.file) return { kind, schema: storedFilesSchema(schema) }
  return kind === 'ref' || kind === 'password' ? undefined : { kind, schema }
}

/** Whether columns with these limits hold a file, or a list of files. */
export function holdsFiles({ kind, schema }: FieldLimits): boolean {
  return kind === 'file' || (kind === 'list' && isDeepStrictEqual(schema.items, storedFileSchema))
}

/** `unreadable`: the stored value cannot be decoded by the kind. */
export type Fit = 'fits' | 'unfitting' | 'unreadable'

/** Returns a function that checks a stored value against the limits. */
export function createFitCheck(
  { kind, schema }: FieldLimits,
  scale: number | undefined,
): (stored: PresentValue) => Fit {
  const validate = createValidator({ field: { name: '', kind, schema }, requirement: '' })
  return (stored) => {
    const value = readValue(kind, scale, stored)
    if (value === undefined) return 'unreadable'
    beginValidation()
    return validate(value).length === 0 ? 'fits' : 'unfitting'
  }
}

/** Kinds whose stored text is not canonical. */
const ambiguousKinds: ReadonlySet<KindName> = new Set(['list', 'json', 'refs', 'file'])

function readValue(kind: KindName, scale: number | undefined, stored: PresentValue): JsonValue | undefined {
  const { decode, encode } = fieldKinds.find(({ name }) => name === kind)!
  const options = { scale: scale ?? 0 }
  try {
    const value = decode(stored, options)
    return ambiguousKinds.has(kind) || String(encode(value, options)) === String(stored) ? value : undefined
  } catch {
    // The value was stored by another kind.
    return undefined
  }
}

/** Returns the limits that may refuse values accepted before, such as `maxLength 50`. */
export function describeNarrowings(before: FieldLimits, after: FieldLimits): readonly string[] {
  if (before.kind !== after.kind) return [`${after.kind} instead of ${before.kind}`]
  if (after.kind === 'json') {
    return isDeepStrictEqual(before.schema, roundTrip(after.schema)) ? [] : ['another JSON Schema']
  }
  if (after.kind === 'decimal') {
    return narrowedKeywords(withoutPatterns(before.schema), withoutPatterns(roundTrip(after.schema)))
  }
  return narrowedKeywords(before.schema, roundTrip(after.schema))
}

/** Of a decimal they only say again what `x-minimum` and `x-maximum` say. */
function withoutPatterns({ allOf: _, ...schema }: JsonSchema): JsonSchema {
  return schema
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
