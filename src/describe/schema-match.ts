/** Validates example values against the schemas of kinds, without compiling a validator. */

import { compareDecimals } from '../definition/kinds/decimal.ts'
import type { JsonSchema, JsonValue } from '../definition/model.ts'

/** Whether the value satisfies the schema; only the keywords below are checked. */
export function matchesFieldSchema(schema: JsonSchema, value: JsonValue): boolean {
  return Object.entries(schema).every(([keyword, limit]) => {
    const check = Object.hasOwn(keywordChecks, keyword) ? keywordChecks[keyword] : undefined
    return check ? check(value, limit) : true
  })
}

type Keyword = (value: JsonValue, limit: unknown) => boolean

const keywordChecks: Readonly<Record<string, Keyword>> = {
  type: (value, type) => isOfType(value, type as string),
  enum: (value, values) => (values as readonly JsonValue[]).includes(value),
  not: (value, schema) => !matchesFieldSchema(schema as JsonSchema, value),
  allOf: (value, schemas) =>
    (schemas as readonly JsonSchema[]).every((one) => matchesFieldSchema(one, value)),
  pattern: (value, pattern) => new RegExp(pattern as string, 'u').test(String(value)),
  minLength: (value, least) => lengthOf(value) >= (least as number),
  maxLength: (value, most) => lengthOf(value) <= (most as number),
  minimum: (value, least) => (value as number) >= (least as number),
  maximum: (value, most) => (value as number) <= (most as number),
  'x-minimum': (value, least) => compareDecimals(value as string, least as string) >= 0,
  'x-maximum': (value, most) => compareDecimals(value as string, most as string) <= 0,
  'x-maxOctets': (value, most) => Buffer.byteLength(value as string) <= (most as number),
  items: (value, schema) =>
    (value as readonly JsonValue[]).every((one) => matchesFieldSchema(schema as JsonSchema, one)),
  minItems: (value, least) => (value as readonly JsonValue[]).length >= (least as number),
  maxItems: (value, most) => (value as readonly JsonValue[]).length <= (most as number),
  uniqueItems: (value, unique) =>
    unique !== true ||
    new Set((value as readonly JsonValue[]).map((one) => JSON.stringify(one))).size ===
      (value as readonly JsonValue[]).length,
}

function isOfType(value: JsonValue, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/** In code points, as JSON Schema counts. */
function lengthOf(value: JsonValue): number {
  return [...String(value)].length
}
