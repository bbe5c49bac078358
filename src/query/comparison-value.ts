/**
 * Parsing of the values that filters compare with, by the kind of the field. A value of another
 * type is refused; a valid value that no row can have matches nothing.
 */

import { formatChoices } from '../definition/kinds/choice.ts'
import { formatNumberAsDecimal } from '../definition/kinds/decimal.ts'
import { cleanText, excludeSurrogates } from '../definition/kinds/text.ts'
import { isWithinYears } from '../definition/kinds/time.ts'
import type { FieldModel, JsonValue, Stored } from '../definition/model.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { ValueAttribute } from './queryable-fields.ts'

export type StoredValue = Exclude<Stored, null>

/** The value, or what is expected instead, to complete "must be …". */
export type ValueResult<T> = { readonly value: T } | { readonly expected: string }

/** Parses the text of a query parameter to the JSON value that a QUERY would have. */
export function parseText(attribute: ValueAttribute, text: string): ValueResult<JsonValue> {
  const kind = attribute.isId ? 'identity' : (attribute.field?.item?.kind ?? attribute.kind)
  switch (kind) {
    case 'integer':
      return /^-?\d{1,400}$/.test(text) ? { value: Number(text) } : { expected: 'an integer' }
    case 'number':
      return numberPattern.test(text) ? { value: Number(text) } : { expected: 'a number' }
    case 'boolean':
      return parseBoolean(text)
    default:
      return { value: text }
  }
}

export function parseBoolean(text: string): ValueResult<boolean> {
  if (text === 'true' || text === 'false') return { value: text === 'true' }
  return { expected: 'true or false' }
}

const numberPattern = /^-?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?$/
const cleanPattern = new RegExp(excludeSurrogates(cleanText), 'u')
export const maxValueLength = 1000

/**
 * Parses a JSON value to the stored value. Decimals and ids of references have their own functions,
 * `parseDecimal` and `parseId`, because a valid one may be the value of no row.
 */
export function parseValue(field: FieldModel, value: JsonValue): ValueResult<StoredValue> {
  switch (field.kind) {
    case 'integer':
      if (typeof value !== 'number' || !(Number.isInteger(value) || Math.abs(value) > beyondSafeInteger)) {
        return { expected: 'an integer' }
      }
      return { value: Math.max(-beyondSafeInteger, Math.min(beyondSafeInteger, value)) + 0 }
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) return { expected: 'a number' }
      return { value: value + 0 }
    case 'boolean':
      return typeof value === 'boolean' ? { value: value ? 1 : 0 } : { expected: 'true or false' }
    case 'date':
      return parseTime(field, value, 'a date such as 2026-02-28')
    case 'timestamp':
      return parseTime(field, value, 'a timestamp such as 2026-02-28T12:00:00Z')
    case 'choice':
    case 'state':
      return parseChoice(field, value)
    case 'email':
    case 'uuid':
      return toLowerCase(parseCleanText(value))
    default:
      return parseCleanText(value)
  }
}

/** An unknown value is refused: a client with a typo would mistake the empty list for the result. */
function parseChoice({ schema }: FieldModel, value: JsonValue): ValueResult<string> {
  const values = schema.enum as readonly string[]
  const choice = values.find((name) => name === value)
  return choice === undefined ? { expected: formatChoices(values) } : { value: choice }
}

/** One more than an integer field can hold: all larger integers compare alike. */
const beyondSafeInteger = 2 ** 53

export function parseCleanText(value: JsonValue): ValueResult<string> {
  if (typeof value !== 'string') return { expected: 'text' }
  if (value.length > maxValueLength) return { expected: `at most ${maxValueLength} characters` }
  return cleanPattern.test(value) ? { value } : { expected: 'text without control characters' }
}

function toLowerCase(reading: ValueResult<string>): ValueResult<string> {
  return 'value' in reading ? { value: reading.value.toLowerCase() } : reading
}

const patternOf = memoizeByObject(({ schema }: FieldModel) => new RegExp(String(schema.pattern), 'u'))

function parseTime(field: FieldModel, value: JsonValue, expected: string): ValueResult<StoredValue> {
  const fits = typeof value === 'string' && value.length <= 40 && patternOf(field).test(value)
  if (!fits) return { expected }
  if (field.kind === 'timestamp' && !isWithinYears(value)) return { expected }
  const stored = field.encode(value)
  return stored === null ? { expected } : { value: stored }
}

/** A decimal rounded down to a scaled integer, and whether the rounding is exact. */
export interface ScaledDecimal {
  readonly floor: bigint
  readonly exact: boolean
}

export function parseDecimal(scale: number, value: JsonValue): ValueResult<ScaledDecimal> {
  const parts = typeof value === 'string' ? /^(-?)(\d{1,60})(?:\.(\d{1,60}))?$/.exec(value) : null
  if (!parts) return { expected: describeDecimal(scale, value) }
  const [, sign, whole = '', fraction = ''] = parts
  const scaled = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'))
  const exact = /^0*$/.test(fraction.slice(scale))
  const floor = sign === '-' ? (exact ? -scaled : -scaled - 1n) : scaled
  return { value: { floor: clampDecimal(floor), exact } }
}

function describeDecimal(scale: number, value: JsonValue): string {
  const text = typeof value === 'number' ? formatNumberAsDecimal(value, scale) : undefined
  return text === undefined ? 'a decimal such as 12.50' : `a decimal string such as "${text}"`
}

/** Decimals and sums of them are compared within 64 bits: all larger ones compare alike. */
function clampDecimal(value: bigint): bigint {
  const most = 2n ** 63n - 1n
  if (value > most) return most
  return value < -most ? -most : value
}

/** Parses an id to the stored value of the key or the identity; undefined if no item can have it. */
export function parseComparedId(
  keyField: FieldModel | undefined,
  value: JsonValue,
): ValueResult<StoredValue | undefined> {
  const text = parseCleanText(value)
  if ('expected' in text || keyField === undefined) return text
  if (keyField.kind === 'integer') {
    return { value: /^(?:0|-?[1-9]\d{0,15})$/.test(text.value) ? Number(text.value) : undefined }
  }
  if (keyField.kind === 'email' || keyField.kind === 'uuid') return toLowerCase(text)
  return text
}
