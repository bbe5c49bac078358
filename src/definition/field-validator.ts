/**
 * Validates the value of a field against its JSON Schema, without coercion or defaults, and returns
 * all faults at once. The rule of a fault is the keyword of the schema.
 */

import { createRequire } from 'node:module'
import type { Ajv, AnySchemaObject, ErrorObject, ValidateFunction } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { type ContentFault, maxFaults } from '../refusal.ts'
import { addBoundedKeywords, type IsTrustedSchema } from './json-schema-keywords.ts'
import { compareDecimals, formatNumberAsDecimal, isDecimal } from './kinds/decimal.ts'
import { isWithinYears } from './kinds/time.ts'
import type { FieldModel, JsonSchema } from './model.ts'
import { createValidationMessage } from './validation-message.ts'

export interface ValidatorOptions {
  readonly field: Pick<FieldModel, 'name' | 'kind' | 'schema'> & Partial<Pick<FieldModel, 'scale' | 'item'>>
  /** The message for a value of the right type and the wrong form. */
  readonly requirement: string
}

export type Validator = (value: unknown) => readonly ContentFault[]

/** Returns the validator of a field. The schema is compiled with the first value. */
export function createValidator({ field, requirement }: ValidatorOptions): Validator {
  let thorough: ValidateFunction | undefined
  let brief: ValidateFunction | undefined
  return (value) => {
    if (value === null && field.kind !== 'json') return [createNullFault(field.name)]
    let compiled: ValidateFunction
    if (field.kind === 'json' && isLarge(value)) {
      brief ??= createAjv(loadAjv2020(), { ...userSchemas, allErrors: false }).compile(field.schema)
      compiled = brief
    } else {
      thorough ??= compileSchema(field)
      compiled = thorough
    }
    if (compiled(value)) return []
    const errors = (compiled.errors ?? []).slice(0, maxFaults)
    return removeRedundantFaults(errors.map((error) => createFault(error, { field, requirement })))
  }
}

/** JSON with more values than this is validated up to the first fault only. */
const maxThoroughValues = 1000

function isLarge(value: unknown): boolean {
  return countValues(value, maxThoroughValues) > maxThoroughValues
}

/** Counts nested values, and stops beyond the limit. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const one of Object.values(value)) {
    count += countValues(one, limit - count)
    if (count > limit) break
  }
  return count
}

/** Returns why the schema of a user cannot be compiled; undefined when it can. */
export function findSchemaFault(schema: JsonSchema): string | undefined {
  // Ajv would return a promise, which is truthy.
  if (Object.hasOwn(schema, '$async')) return "'$async' is not supported"
  try {
    createAjv(loadAjv2020(), userSchemas).compile(structuredClone(schema))
    return undefined
  } catch (cause) {
    return (cause as Error).message
  }
}

function createNullFault(name: string): ContentFault {
  const detail = 'Must not be null. Leave the field out instead.'
  return { pointer: `/${name}`, rule: 'type', detail }
}

function compileSchema({ kind, schema }: ValidatorOptions['field']): ValidateFunction {
  if (kind !== 'json') {
    // The schemas of kinds need no keyword of 2020-12.
    // Only texts have patterns of users, and texts have no format.
    const isTrusted = ({ format }: AnySchemaObject) => format !== undefined
    trustedAjv ??= createAjv((load('ajv') as { Ajv: typeof Ajv }).Ajv, trustedSchemas, isTrusted)
    return trustedAjv.compile(withoutBounds(schema))
  }
  // A separate instance, because the $id of two schemas may be the same.
  return createAjv(loadAjv2020(), userSchemas).compile(schema)
}

/** The patterns for the limits of a decimal are for other validators; this one compares numbers. */
function withoutBounds(schema: JsonSchema): JsonSchema {
  const { items, allOf: _patterns, ...rest } = schema
  if (items !== undefined) return { ...schema, items: withoutBounds(items as JsonSchema) }
  return 'x-minimum' in schema || 'x-maximum' in schema ? rest : schema
}

/** The schemas of kinds are valid, so the large meta-schema is not loaded. */
const trustedSchemas = { meta: false, validateSchema: false }

/**
 * Schemas of users may omit types; unknown keywords are refused. Formats are annotations (JSON Schema
 * 2020-12 Validation §7.2.1).
 */
const userSchemas = {
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
}

let trustedAjv: Ajv | Ajv2020 | undefined

/** Loads Ajv with the first value to validate: reading needs none. */
const load = createRequire(import.meta.url)

function loadAjv2020(): typeof Ajv2020 {
  return (load('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 }).Ajv2020
}

function createAjv(
  Validation: typeof Ajv | typeof Ajv2020,
  lenience: object,
  isTrusted: IsTrustedSchema = () => false,
): Ajv | Ajv2020 {
  const ajv = new Validation({
    strict: true,
    allErrors: true,
    ownProperties: true,
    verbose: true,
    logger: false,
    formats: {
      email: true,
      uri: true,
      'uri-reference': true,
      uuid: true,
      date: true,
      'date-time': isWithinYears,
    },
    ...lenience,
  })
  for (const keyword of ownKeywords) ajv.addKeyword({ ...keyword, type: 'string' })
  addBoundedKeywords(ajv, isTrusted)
  return ajv
}

/** Keywords for strings that JSON Schema does not have. */
const ownKeywords = [
  {
    keyword: 'x-minimum',
    schemaType: 'string',
    validate: (limit: string, value: string) => !isDecimal(value) || compareDecimals(value, limit) >= 0,
  },
  {
    keyword: 'x-maximum',
    schemaType: 'string',
    validate: (limit: string, value: string) => !isDecimal(value) || compareDecimals(value, limit) <= 0,
  },
  {
    keyword: 'x-maxOctets',
    schemaType: 'number',
    validate: (limit: number, value: string) => Buffer.byteLength(value) <= limit,
  },
] as const

function createFault(error: ErrorObject, { field, requirement }: ValidatorOptions): ContentFault {
  const { kind, schema } = field
  const { rule, detail } =
    numberForDecimal(error, { field, requirement }) ??
    createValidationMessage(error, { kind, schema, requirement })
  const faultKey = kind === 'refs' ? repetitionOf(error) : memberOf(error)
  return { pointer: `/${field.name}${error.instancePath}${faultKey}`, rule, detail }
}

/** For a decimal that was sent as a number, the message shows the string to send. */
function numberForDecimal({ keyword, data }: ErrorObject, { field, requirement }: ValidatorOptions) {
  const { kind, scale } = field.item ?? field
  if (keyword !== 'type' || kind !== 'decimal' || typeof data !== 'number') return undefined
  const text = formatNumberAsDecimal(data, scale ?? 0)
  const detail = text === undefined ? requirement : `Must be a decimal string: "${text}".`
  return { rule: keyword, detail }
}

/** A repetition in a set of references points to the repeated id. */
function repetitionOf({ keyword, params }: ErrorObject): string {
  return keyword === 'uniqueItems' ? `/${params.j}` : ''
}

/** Faults of keywords about members point to the member. */
function memberOf({ params }: ErrorObject): string {
  const member =
    params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName
  if (member === undefined) return ''
  return `/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/**
 * Keeps one fault for each place and rule. A value of the wrong type has no other fault, and a decimal
 * beyond its limits does not also violate its pattern.
 */
function removeRedundantFaults(faults: readonly ContentFault[]): readonly ContentFault[] {
  const pointersOf = (...rules: readonly string[]) =>
    new Set(faults.filter(({ rule }) => rules.includes(rule)).map(({ pointer }) => pointer))
  const mistyped = pointersOf('type')
  const beyond = pointersOf('minimum', 'maximum')
  const kept = new Map<string, ContentFault>()
  for (const fault of faults) {
    if (fault.rule === 'if') continue
    if (fault.rule !== 'type' && mistyped.has(fault.pointer)) continue
    if (fault.rule === 'pattern' && beyond.has(fault.pointer)) continue
    const faultKey = `${fault.rule} ${fault.pointer}`
    if (!kept.has(faultKey)) kept.set(faultKey, fault)
  }
  return [...kept.values()]
}
