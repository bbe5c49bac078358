/**
 * What values a field allows, as plain data that can be kept beside the rows: so that rows which
 * are there already can be held against what a changed definition allows.
 */

import { isDeepStrictEqual } from '../tools/node-builtins.ts'
import { createValidator } from './field-validator.ts'
import { beginValidation } from './json-schema-keywords.ts'
import { compareDecimals } from './kinds/decimal.ts'
import { kinds } from './kinds/field-kinds.ts'
import type { PresentValue } from './kinds/kind.ts'
import type { FieldKind, FieldModel, JsonSchema, JsonValue } from './model.ts'

export interface FieldLimits {
  readonly kind: FieldKind
  readonly schema: JsonSchema
}

/** Undefined where a column does not hold the value itself: references and passwords. */
export function fieldLimits({ kind, schema }: FieldModel): FieldLimits | undefined {
  return kind === 'ref' || kind === 'password' ? undefined : { kind, schema }
}

/** `unreadable`: the field could not even show it as what it is. */
export type Fit = 'fits' | 'unfitting' | 'unreadable'

/** Holds what a column has against the limits. */
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

/** Kinds whose text may be written in more than one way. */
const ambiguousKinds: ReadonlySet<FieldKind> = new Set(['list', 'json'])

function readValue(
  kind: FieldKind,
  scale: number | undefined,
  stored: PresentValue,
): JsonValue | undefined {
  const { decode, encode } = kinds[kind]
  const options = { scale: scale ?? 0 }
  try {
    const value = decode(stored, options)
    return ambiguousKinds.has(kind) || String(encode(value, options)) === String(stored)
      ? value
      : undefined
  } catch {
    // What another kind of field has kept need not be of this one's form at all.
    return undefined
  }
}

/** What may keep values out that were let in before, such as `maxLength 50`; empty where nothing does. */
export function describeNarrowings(before: FieldLimits, after: FieldLimits): readonly string[] {
  if (before.kind !== after.kind) return [`${after.kind} instead of ${before.kind}`]
  if (after.kind === 'json') {
    return isDeepStrictEqual(before.schema, roundTrip(after.schema)) ? [] : ['another JSON Schema']
  }
  if (after.kind === 'decimal') {
    return narrowedKeywords(
      withoutPatterns(before.schema),
      withoutPatterns(roundTrip(after.schema)),
    )
  }
  return narrowedKeywords(before.schema, roundTrip(after.schema))
}

/** Of a decimal they only say again what `x-minimum` and `x-maximum` say. */
function withoutPatterns({ allOf: _, ...schema }: JsonSchema): JsonSchema {
  return schema
}

/** As it is when it has been kept as text. */
function roundTrip(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema))
}

function narrowedKeywords(before: JsonSchema, after: JsonSchema): readonly string[] {
  return Object.entries(after).flatMap(([keyword, limit]) => {
    const was = before[keyword]
    if (isDeepStrictEqual(was, limit)) return []
    if (keyword === 'items') {
      const of = narrowedKeywords((was ?? {}) as JsonSchema, limit as JsonSchema)
      return of.map((words) => `items of ${words}`)
    }
    return isWider(keyword, was, limit) ? [] : [`${keyword} ${formatLimit(limit)}`]
  })
}

/** Only where it is sure: what is not known to be wider is held against the rows. */
function isWider(keyword: string, was: unknown, limit: unknown): boolean {
  if (keyword === 'uniqueItems') return limit !== true
  if (keyword === 'enum') {
    return Array.isArray(was) && was.every((one) => (limit as unknown[]).includes(one))
  }
  if (keyword.startsWith('x-m') && typeof was === 'string') {
    const order = compareDecimals(String(limit), was)
    return keyword === 'x-maximum' ? order >= 0 : order <= 0
  }
  if (typeof was !== 'number' || typeof limit !== 'number') return false
  if (keyword.startsWith('max')) return limit >= was
  return keyword.startsWith('min') && limit <= was
}

function formatLimit(limit: unknown): string {
  return typeof limit === 'string' || typeof limit === 'number'
    ? String(limit)
    : JSON.stringify(limit)
}
