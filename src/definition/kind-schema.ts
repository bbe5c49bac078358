/**
 * Compiles the JSON Schemas of the built-in kinds, which have few keywords. Schemas of users have all of them; what
 * compiles those would take a third of the time of a start.
 */

import { maxFaults } from '../refusal.ts'
import { createPatternCheck, findDuplicate } from './bounded-keywords.ts'
import { compareDecimals, isDecimal } from './kinds/decimal.ts'
import { isWithinYears } from './kinds/time.ts'
import type { JsonSchema } from './model.ts'

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

export type FindViolations = (value: unknown) => readonly Violation[]

/** Returns a function that finds all violations of the schema, up to the number that is reported. */
export function compileKindSchema(schema: JsonSchema): FindViolations {
  const check = compile(schema)
  return (value) => {
    const found: Violation[] = []
    check(value, '', found)
    return found
  }
}

/** Adds the violations of the value at the place. */
type Check = (value: unknown, place: string, found: Violation[]) => void

function compile(schema: JsonSchema): Check {
  requireKnownKeywords(schema)
  const rules = Object.entries(keywords)
    .filter(([name]) => schema[name] !== undefined)
    .map(([name, compileKeyword]) => ({
      keyword: name,
      limit: schema[name],
      refuse: compileKeyword(schema[name] as never, schema) as (value: unknown) => Details | undefined,
    }))
  const nestedChecks = Object.entries(nestingKeywords)
    .filter(([name]) => schema[name] !== undefined)
    .map(([name, compileKeyword]) => compileKeyword(schema[name] as never, schema))
  return (value, place, found) => {
    for (const { keyword, limit, refuse } of rules) {
      const details = refuse(value)
      if (details === undefined) continue
      found.push({ keyword, schema: limit, instancePath: place, data: value, params: {}, ...details })
      // The other keywords are about values of this type.
      if (keyword === 'type') return
    }
    for (const check of nestedChecks) check(value, place, found)
  }
}

function requireKnownKeywords(schema: JsonSchema): void {
  for (const name of Object.keys(schema)) {
    if (Object.hasOwn(keywords, name) || Object.hasOwn(nestingKeywords, name) || annotations.has(name))
      continue
    throw new Error(`The schema of a kind has the unknown keyword '${name}'`)
  }
}

const annotations: ReadonlySet<string> = new Set(['contentMediaType', 'examples'])

/** The members of a violation that only some keywords have. */
type Details = Partial<Pick<Violation, 'keyword' | 'params'>>
/** Returns undefined for values that the keyword accepts. */
type Refuse = (value: never) => Details | undefined

function unless(isAccepted: boolean): Details | undefined {
  return isAccepted ? undefined : {}
}

/** Keywords for strings that JSON Schema does not have: whether they accept a value. */
export const ownKeywords = {
  'x-minimum': (limit: string) => (value: string) => !isDecimal(value) || compareDecimals(value, limit) >= 0,
  'x-maximum': (limit: string) => (value: string) => !isDecimal(value) || compareDecimals(value, limit) <= 0,
  'x-maxOctets': (limit: number) => (value: string) => Buffer.byteLength(value) <= limit,
}

/** In the order of their faults. */
const keywords: Readonly<Record<string, (limit: never, schema: JsonSchema) => Refuse>> = {
  type: (name: keyof typeof isOfType) => (value) => unless(isOfType[name](value)),
  maximum: (limit: number) => (value: number) => unless(value <= limit),
  minimum: (limit: number) => (value: number) => unless(value >= limit),
  maxLength: (limit: number) => (text: string) => unless(!isLonger(text, limit)),
  minLength: (limit: number) => (text: string) => unless(isLonger(text, limit - 1)),
  format: (name: string) => (text: string) => unless(name !== 'date-time' || isWithinYears(text)),
  'x-minimum': (limit: string) => (text: string) => unless(ownKeywords['x-minimum'](limit)(text)),
  'x-maximum': (limit: string) => (text: string) => unless(ownKeywords['x-maximum'](limit)(text)),
  'x-maxOctets': (limit: number) => (text: string) => unless(ownKeywords['x-maxOctets'](limit)(text)),
  pattern(source: string, { maxLength, format }) {
    // Only texts have patterns of users, and texts have no format.
    const options = { maxLength: maxLength as number | undefined, isTrusted: format !== undefined }
    const check = createPatternCheck(source, options)
    return (text: string) => {
      const keyword = check(text)
      return keyword && { keyword }
    }
  },
  enum: (values: readonly unknown[]) => (value) => unless(values.includes(value)),
  not: (schema: JsonSchema) => {
    const find = compileKindSchema(schema)
    return (value) => unless(find(value).length > 0)
  },
  maxItems: (limit: number) => (items: readonly unknown[]) => unless(items.length <= limit),
  minItems: (limit: number) => (items: readonly unknown[]) => unless(items.length >= limit),
  uniqueItems: (isWanted: boolean) => (items: readonly unknown[]) => {
    const repetition = isWanted ? findDuplicate(items) : undefined
    return repetition && { params: { ...repetition } }
  },
  required: (names: readonly string[]) => (value: object) => {
    const missingProperty = names.find((name) => !Object.hasOwn(value, name))
    return missingProperty === undefined ? undefined : { params: { missingProperty } }
  },
}

/** Keywords with schemas, or about members that other keywords do not name. */
const nestingKeywords: Readonly<Record<string, (limit: never, schema: JsonSchema) => Check>> = {
  additionalProperties:
    (limit: false, { properties = {} }) =>
    (value, instancePath, found) => {
      for (const additionalProperty of Object.keys(value as object)) {
        if (Object.hasOwn(properties as object, additionalProperty)) continue
        if (found.length >= maxFaults) return
        const params = { additionalProperty }
        found.push({ keyword: 'additionalProperties', schema: limit, instancePath, data: value, params })
      }
    },
  properties(schemas: Readonly<Record<string, JsonSchema>>) {
    const members = Object.entries(schemas).map(([name, schema]) => [name, compile(schema)] as const)
    return (value, place, found) => {
      for (const [name, check] of members) {
        if (Object.hasOwn(value as object, name)) {
          check((value as Readonly<Record<string, unknown>>)[name], `${place}/${name}`, found)
        }
      }
    }
  },
  items(schema: JsonSchema) {
    const check = compile(schema)
    return (value, place, found) => {
      for (const [index, item] of (value as readonly unknown[]).entries()) {
        if (found.length >= maxFaults) return
        check(item, `${place}/${index}`, found)
      }
    }
  },
  allOf(schemas: readonly JsonSchema[], schema) {
    // The patterns for the limits of a decimal are for other validators; this one compares numbers.
    if ('x-minimum' in schema || 'x-maximum' in schema) return () => {}
    const checks = schemas.map(compile)
    return (value, place, found) => {
      for (const check of checks) check(value, place, found)
    }
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
