/**
 * Compiles the JSON Schemas of the built-in kinds, which have few keywords. Schemas of users may have all of them; Ajv,
 * which compiles those, would take a third of the time of a start.
 */

import { maxFaults } from '../refusal.ts'
import { compareDecimals, decimalPattern, isDecimal } from './kinds/decimal.ts'
import { isWithinYears } from './kinds/time.ts'
import type { JsonSchema } from './model.ts'
import { createPatternCheck, findDuplicate } from './schema-keywords.ts'

/** A keyword that a value violates. */
export interface Violation {
  readonly keyword: string
  /** The value of the keyword. */
  readonly schema?: unknown
  /** The place in the whole value, as a JSON pointer. */
  readonly instancePath: string
  /** The value there. */
  readonly data?: unknown
  readonly params: Readonly<Record<string, unknown>>
}

/** Returns the keywords that the value violates; an empty array for a valid value. */
export type FindViolations = (value: unknown) => readonly Violation[]

/** Compiles the schema. Throws where it has a keyword that is not known here. */
export function compileKindSchema(schema: JsonSchema): FindViolations {
  const check = compile(schema)
  return (value) => {
    const found: Violation[] = []
    check(value, '', found)
    return found
  }
}

/** Adds the violations of the value at the path. */
type Check = (value: unknown, instancePath: string, found: Violation[]) => void

function compile(schema: JsonSchema): Check {
  const unknown = Object.keys(schema).find((name) => !Object.hasOwn(keywords, name) && !annotations.has(name))
  if (unknown !== undefined) throw new Error(`The schema of a kind has the unknown keyword '${unknown}'`)
  const { type } = schema
  const checkType = type === undefined ? undefined : compileKeyword('type', type, schema)
  const checks = Object.keys(keywords)
    .filter((name) => name !== 'type' && schema[name] !== undefined)
    .map((name) => compileKeyword(name, schema[name], schema))
  return (value, instancePath, found) => {
    const before = found.length
    checkType?.(value, instancePath, found)
    // The other keywords are about values of this type.
    if (found.length > before) return
    for (const check of checks) check(value, instancePath, found)
  }
}

/** A keyword names the types of its limit and values. `compileKeyword` cannot know them, so it casts. */
interface Keyword {
  /** Whether it accepts a value; in place of `check`. */
  readonly accepts?: (limit: never, schema: JsonSchema) => (value: never) => boolean
  readonly check?: (limit: never, schema: JsonSchema) => Check
}

function compileKeyword(keyword: string, limit: unknown, schema: JsonSchema): Check {
  const { accepts, check } = keywords[keyword] ?? {}
  if (check) return check(limit as never, schema)
  const isAccepted = accepts?.(limit as never, schema)
  return (value, instancePath, found) => {
    if (isAccepted?.(value as never)) return
    found.push({ keyword, schema: limit, instancePath, data: value, params: {} })
  }
}

const annotations: ReadonlySet<string> = new Set(['contentMediaType', 'description', 'examples'])

/** Keywords for strings that JSON Schema does not have. `limits` is the schema of their own values. */
export const ownKeywords = {
  'x-minimum': {
    limits: { type: 'string', pattern: decimalPattern },
    accepts: (limit: string) => (value: string) => !isDecimal(value) || compareDecimals(value, limit) >= 0,
  },
  'x-maximum': {
    limits: { type: 'string', pattern: decimalPattern },
    accepts: (limit: string) => (value: string) => !isDecimal(value) || compareDecimals(value, limit) <= 0,
  },
  'x-maxOctets': {
    limits: { type: 'number' },
    accepts: (limit: number) => (value: string) => Buffer.byteLength(value) <= limit,
  },
}

/** In the order of their faults. */
const keywords: Readonly<Record<string, Keyword>> = {
  type: { accepts: (name: keyof typeof isOfType) => isOfType[name] },
  maximum: { accepts: (limit: number) => (value: number) => value <= limit },
  minimum: { accepts: (limit: number) => (value: number) => value >= limit },
  enum: { accepts: (values: readonly unknown[]) => (value) => values.includes(value) },
  not: {
    accepts(schema: JsonSchema) {
      const findViolations = compileKindSchema(schema)
      return (value) => findViolations(value).length > 0
    },
  },
  // Before `pattern`, so that control characters are named where the text has a pattern too.
  allOf: {
    check(schemas: readonly JsonSchema[], schema) {
      // The patterns for the limits of a decimal are for other validators; this one compares numbers.
      if ('x-minimum' in schema || 'x-maximum' in schema) return () => {}
      const checks = schemas.map(compile)
      return (value, instancePath, found) => {
        for (const check of checks) check(value, instancePath, found)
      }
    },
  },
  format: { accepts: (name: string) => (text: string) => name !== 'date-time' || isWithinYears(text) },
  maxLength: { accepts: (limit: number) => (text: string) => !isLonger(text, limit) },
  minLength: { accepts: (limit: number) => (text: string) => isLonger(text, limit - 1) },
  ...ownKeywords,
  pattern: {
    check(source: string, { maxLength, format }) {
      // Only texts have patterns of users, and texts have no format.
      const options = { maxLength: maxLength as number | undefined, isTrusted: format !== undefined }
      const findKeyword = createPatternCheck(source, options)
      return (value, instancePath, found) => {
        const keyword = findKeyword(value as string)
        if (keyword) found.push({ keyword, schema: source, instancePath, data: value, params: {} })
      }
    },
  },
  maxItems: { accepts: (limit: number) => (items: readonly unknown[]) => items.length <= limit },
  minItems: { accepts: (limit: number) => (items: readonly unknown[]) => items.length >= limit },
  items: {
    check(schema: JsonSchema) {
      const check = compile(schema)
      return (value, instancePath, found) => {
        for (const [index, item] of (value as readonly unknown[]).entries()) {
          if (found.length >= maxFaults) return
          check(item, `${instancePath}/${index}`, found)
        }
      }
    },
  },
  uniqueItems: {
    check: (isWanted: boolean) => (value, instancePath, found) => {
      const params = isWanted ? findDuplicate(value as readonly unknown[]) : undefined
      if (params) found.push({ keyword: 'uniqueItems', schema: isWanted, instancePath, data: value, params })
    },
  },
  required: {
    check: (names: readonly string[]) => (value, instancePath, found) => {
      for (const missingProperty of names) {
        if (Object.hasOwn(value as object, missingProperty)) continue
        found.push({
          keyword: 'required',
          schema: names,
          instancePath,
          data: value,
          params: { missingProperty },
        })
      }
    },
  },
  additionalProperties: {
    check:
      (limit: false, { properties = {} }) =>
      (value, instancePath, found) => {
        for (const additionalProperty of Object.keys(value as object)) {
          if (Object.hasOwn(properties as object, additionalProperty)) continue
          if (found.length >= maxFaults) return
          const params = { additionalProperty }
          found.push({ keyword: 'additionalProperties', schema: limit, instancePath, data: value, params })
        }
      },
  },
  properties: {
    check(schemas: Readonly<Record<string, JsonSchema>>) {
      const members = Object.entries(schemas).map(([name, schema]) => [name, compile(schema)] as const)
      return (value, instancePath, found) => {
        const present = value as Readonly<Record<string, unknown>>
        for (const [name, check] of members) {
          if (Object.hasOwn(present, name)) check(present[name], `${instancePath}/${name}`, found)
        }
      }
    },
  },
}

const isOfType = {
  string: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => Number.isFinite(value),
  integer: (value: unknown) => Number.isInteger(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  array: (value: unknown) => Array.isArray(value),
  object: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** Whether the text has more characters. A character is one or two code units. */
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  if (text.length > 2 * limit) return true
  let count = 0
  for (const _ of text) count += 1
  return count > limit
}
