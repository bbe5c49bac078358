/**
 * Validation of a field's value against its JSON Schema: strict, nothing coerced, nothing filled
 * in, all faults at once. The sentences are ours; the rule of a fault is the schema's keyword.
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
  readonly field: Pick<FieldModel, 'name' | 'kind' | 'schema'> &
    Partial<Pick<FieldModel, 'scale' | 'item'>>
  /** Told where a value has the right type and the wrong form. */
  readonly requirement: string
}

export type Validator = (value: unknown) => readonly ContentFault[]

/** Makes the validator of a field; its schema is compiled when the first value comes. */
export function createValidator({ field, requirement: form }: ValidatorOptions): Validator {
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
    return removeRedundantFaults(
      errors.map((error) => createFault(error, { field, requirement: form })),
    )
  }
}

/** Values, members and elements, of which all faults are told; of more only the first. */
const maxThoroughValues = 1000

function isLarge(value: unknown): boolean {
  return countValues(value, maxThoroughValues) > maxThoroughValues
}

/** How many values there are, counted no further than past the limit. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const one of Object.values(value)) {
    count += countValues(one, limit - count)
    if (count > limit) break
  }
  return count
}

/** Why a schema that a user gave cannot be compiled; undefined where it can. */
export function findSchemaFault(schema: JsonSchema): string | undefined {
  // Ajv would answer with a promise, and a promise is true.
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
    // What ours are made of is in the smaller dialect too.
    // Kinds with a format of their own have patterns of ours; only texts have those of users.
    const isOurs = ({ format }: AnySchemaObject) => format !== undefined
    trustedAjv ??= createAjv((load('ajv') as { Ajv: typeof Ajv }).Ajv, trustedSchemas, isOurs)
    return trustedAjv.compile(withoutBounds(schema))
  }
  // An instance of its own: the $id of one user's schema must not meet that of another.
  return createAjv(loadAjv2020(), userSchemas).compile(schema)
}

/** The bounds of a decimal are in its patterns for others: here numbers are compared. */
function withoutBounds(schema: JsonSchema): JsonSchema {
  const { items, allOf: _patterns, ...rest } = schema
  if (items !== undefined) return { ...schema, items: withoutBounds(items as JsonSchema) }
  return 'x-minimum' in schema || 'x-maximum' in schema ? rest : schema
}

/** Schemas of ours are right: what would judge them is as large as all else, and stays away. */
const trustedSchemas = { meta: false, validateSchema: false }

/**
 * Users' schemas may leave out types; misspelt keywords are still refused. Formats are notes, as
 * the dialect has it (JSON Schema 2020-12 Validation §7.2.1).
 */
const userSchemas = {
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
}

let trustedAjv: Ajv | Ajv2020 | undefined

/** With the first value that it must judge: whoever only reads has no need of it. */
const load = createRequire(import.meta.url)

function loadAjv2020(): typeof Ajv2020 {
  return (load('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 }).Ajv2020
}

function createAjv(
  Validation: typeof Ajv | typeof Ajv2020,
  lenience: object,
  isOurs: IsTrustedSchema = () => false,
): Ajv | Ajv2020 {
  const ajv = new Validation({
    strict: true,
    allErrors: true,
    ownProperties: true,
    verbose: true,
    logger: false,
    formats: { email: true, uri: true, uuid: true, date: true, 'date-time': isWithinYears },
    ...lenience,
  })
  for (const keyword of ownKeywords) ajv.addKeyword({ ...keyword, type: 'string' })
  addBoundedKeywords(ajv, isOurs)
  return ajv
}

/** What JSON Schema cannot say of strings. */
const ownKeywords = [
  {
    keyword: 'x-minimum',
    schemaType: 'string',
    validate: (limit: string, value: string) =>
      !isDecimal(value) || compareDecimals(value, limit) >= 0,
  },
  {
    keyword: 'x-maximum',
    schemaType: 'string',
    validate: (limit: string, value: string) =>
      !isDecimal(value) || compareDecimals(value, limit) <= 0,
  },
  {
    keyword: 'x-maxOctets',
    schemaType: 'number',
    validate: (limit: number, value: string) => Buffer.byteLength(value) <= limit,
  },
] as const

function createFault(
  error: ErrorObject,
  { field, requirement: form }: ValidatorOptions,
): ContentFault {
  const { kind, schema } = field
  const { rule, detail } =
    numberForDecimal(error, { field, requirement: form }) ??
    createValidationMessage(error, { kind, schema, requirement: form })
  return { pointer: `/${field.name}${error.instancePath}${memberOf(error)}`, rule, detail }
}

/** A decimal that was sent as a number: the sentence shows the string to send instead. */
function numberForDecimal(
  { keyword, data }: ErrorObject,
  { field, requirement: form }: ValidatorOptions,
) {
  const { kind, scale } = field.item ?? field
  if (keyword !== 'type' || kind !== 'decimal' || typeof data !== 'number') return undefined
  const text = formatNumberAsDecimal(data, scale ?? 0)
  const detail = text === undefined ? form : `Must be a decimal string: "${text}".`
  return { rule: keyword, detail }
}

/** Keywords that judge a member from outside point to the member. */
function memberOf({ params }: ErrorObject): string {
  const member =
    params.missingProperty ??
    params.additionalProperty ??
    params.unevaluatedProperty ??
    params.propertyName
  if (member === undefined) return ''
  return `/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/**
 * One fault for each place and rule; a value of the wrong type has no other fault. A decimal beyond
 * its bounds has that fault alone, though the bounds are in its patterns too.
 */
function removeRedundantFaults(faults: readonly ContentFault[]): readonly ContentFault[] {
  const placesOf = (...rules: readonly string[]) =>
    new Set(faults.filter(({ rule }) => rules.includes(rule)).map(({ pointer }) => pointer))
  const mistyped = placesOf('type')
  const beyond = placesOf('minimum', 'maximum')
  const kept = new Map<string, ContentFault>()
  for (const fault of faults) {
    if (fault.rule === 'if') continue
    if (fault.rule !== 'type' && mistyped.has(fault.pointer)) continue
    if (fault.rule === 'pattern' && beyond.has(fault.pointer)) continue
    const place = `${fault.rule} ${fault.pointer}`
    if (!kept.has(place)) kept.set(place, fault)
  }
  return [...kept.values()]
}
