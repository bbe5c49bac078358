/**
 * Exact decimals: a string in bodies, since JSON numbers are read as binary64 by most clients; a
 * scaled 64-bit integer in columns, which stores compare and sort exactly.
 */

import { formatScaled } from '../../tools/decimal-sum.ts'
import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { Comparand, FieldValues, PresentValue, Reading } from '../field-kind.ts'
import { didYouMean } from '../name-suggestion.ts'
import { type Expectation, wholeNumber } from '../option-table.ts'
import type { JsonSchema, JsonValue } from '../value-types.ts'
import { atLeastPattern, atMostPattern, isNegative, isZero } from './decimal-pattern.ts'
import type { Kind } from './kind.ts'
import { textTraits } from './text.ts'

export type DecimalOptions = {
  /** Fraction digits: exactly so many out, at most so many in. */
  readonly scale: number
  /** Digits in all, 18 by default, which is also the most. */
  readonly digits?: number
  readonly min?: string
  readonly max?: string
}

/**
 * A field with an exact decimal, such as money: a string in JSON, compared and sorted as a number.
 * @example
 * const price = decimal({ scale: 2, min: '0.01' })
 */
export function decimal(options: DecimalOptions): ValueField<string, 'quantity'> {
  return declareField({ kind: decimalKind, options }, valueModifiers)
}

const maxDigits = 18
/** Any decimal, of whatever scale. */
export const decimalPattern = '^-?[0-9]+(?:\\.[0-9]+)?$'
const plain = new RegExp(decimalPattern)

const bound: Expectation<string> = {
  expected: "a decimal in quotes, such as '0.01'",
  accepts: (value): value is string => typeof value === 'string' && plain.test(value) && value.length < 40,
}

export const decimalKind: Kind<DecimalOptions> = {
  ...textTraits,
  name: 'decimal',
  column: 'decimal',
  encoding: 'decoded',
  order: 'amount',
  family: 'decimal',
  compare: (value, { scale = 0 }) => compareDecimal(scale, value),
  comparedSchema: { type: 'string', pattern: '^-?[0-9]{1,60}(?:\\.[0-9]{1,60})?$' },
  totals: {
    sum: ({ scale = 0 }) => unlimitedDecimal(scale),
    average: ({ scale = 0 }) => unlimitedDecimal(scale + averageDigits),
  },
  examples: ({ 'x-minimum': min, 'x-maximum': max }) =>
    ['9.5', '1', min, max].filter((one) => typeof one === 'string'),
  input: {
    type: 'text',
    placeholder: undefined,
    attributes: () => ({ inputmode: 'decimal' }),
  },
  options: {
    scale: wholeNumber(0, maxDigits),
    digits: wholeNumber(1, maxDigits),
    min: bound,
    max: bound,
  },
  check(options, report) {
    const { scale, digits = maxDigits, min, max } = options
    if (scale === undefined) {
      const near = didYouMean('scale', Object.keys(options))
      return report("A decimal needs 'scale', its number of fraction digits.", near)
    }
    if (scale > digits) report(`The option 'scale' (${scale}) is greater than 'digits' (${digits}).`)
    for (const limit of [min, max]) {
      if (limit === undefined || isWritable(limit, options)) continue
      report(`The limit '${limit}' has more digits than the decimal itself.`)
    }
    if (min === undefined || max === undefined || compareDecimals(min, max) <= 0) return
    report(`The option 'min' (${min}) is greater than 'max' (${max}).`)
  },
  schema(options) {
    const { min, max } = options
    const bounds = boundsOf(options)
    return {
      type: 'string',
      pattern: patternOf(options),
      ...(bounds.length > 0 && { allOf: bounds.map((pattern) => ({ pattern })) }),
      // The validator compares numbers, so that messages name the limit.
      ...(min !== undefined && { 'x-minimum': min }),
      ...(max !== undefined && { 'x-maximum': max }),
    } satisfies JsonSchema
  },
  encode: (value, { scale }) => scaled(value as string, scale),
  decode: (stored, { scale }) => formatScaled(BigInt(stored), scale),
  parts: ({ scale }) => ({ scale }),
  requirement: (options) =>
    `Must be a decimal string such as "${exampleOf(options)}", with at most ${maxWholeDigits(options)} digits before the point and ${options.scale} after it.`,
}

/** How many more fraction digits an average of decimals has than its field. */
export const averageDigits = 2

/** Decimals of the scale without limits, such as sums. */
function unlimitedDecimal(scale: number): FieldValues {
  const decode = (stored: PresentValue) => formatScaled(BigInt(stored), scale)
  const digits = '5'.padEnd(scale, '0').slice(0, scale)
  const pattern = scale === 0 ? '^-?[0-9]+$' : `^-?[0-9]+\\.[0-9]{${scale}}$`
  return {
    kind: decimalKind,
    schema: { type: 'string', pattern, examples: [decode(`31${digits}`)] },
    scale,
    encode: (value) => scaled(value as string, scale),
    decode,
  }
}

/** A value with more fraction digits than the field is rounded down. */
function compareDecimal(scale: number, value: JsonValue): Reading<Comparand> {
  const parts = typeof value === 'string' ? /^(-?)(\d{1,60})(?:\.(\d{1,60}))?$/.exec(value) : null
  if (!parts) return { expected: describeDecimal(scale, value) }
  const [, sign, whole = '', fraction = ''] = parts
  const size = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'))
  const isExact = /^0*$/.test(fraction.slice(scale))
  const floor = sign === '-' ? (isExact ? -size : -size - 1n) : size
  return { value: { stored: clampDecimal(floor), isExact } }
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

function maxWholeDigits({ scale, digits = maxDigits }: DecimalOptions): number {
  return digits - scale
}

function exampleOf(options: DecimalOptions): string {
  const whole = ['0', '2'][maxWholeDigits(options)] ?? '12'
  return options.scale > 0 ? `${whole}.${'5'.padEnd(options.scale, '0')}` : whole
}

/** Returns a negative number, 0 or a positive number as a is less than, equal to or greater than b. */
export function compareDecimals(a: string, b: string): number {
  const difference = scaled(a, longestFraction) - scaled(b, longestFraction)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Returns the number as a decimal string, 2.5 as `2.50`; undefined when it has more fraction digits. */
export function formatNumberAsDecimal(value: number, scale: number): string | undefined {
  const text = String(value)
  const [, fraction = ''] = text.split('.')
  if (!plain.test(text) || fraction.length > scale) return undefined
  return formatScaled(scaled(text, scale), scale)
}

/** Whether the text is a decimal that can be compared. */
export function isDecimal(value: string): boolean {
  return value.length < 40 && plain.test(value)
}

const longestFraction = 40

/** The pattern of digits and sign. With a minimum of zero or more, only zero may have a sign. */
function patternOf(options: DecimalOptions): string {
  const { min } = options
  if (min === undefined || isNegative(min)) return `^-?${formOf(options, '[0-9]')}$`
  const plus = formOf(options, '[0-9]')
  return isZero(min) ? `^(?:${plus}|-${formOf(options, '0')})$` : `^${plus}$`
}

function formOf({ scale, digits = maxDigits }: DecimalOptions, digit: string): string {
  const whole = digits > scale ? `${digit}{1,${digits - scale}}` : '0'
  return scale > 0 ? `${whole}(?:\\.${digit}{1,${scale}})?` : whole
}

/** Patterns for the limits that the sign does not express. */
function boundsOf({ min, max }: DecimalOptions): readonly string[] {
  return [
    ...(min === undefined || isZero(min) ? [] : [atLeastPattern(min)]),
    ...(max === undefined ? [] : [atMostPattern(max)]),
  ]
}

function isWritable(value: string, { scale, digits }: DecimalOptions): boolean {
  return new RegExp(patternOf({ scale, ...(digits === undefined ? {} : { digits }) })).test(value)
}

function scaled(value: string, scale: number): bigint {
  const [whole = '', fraction = ''] = value.split('.')
  return BigInt(whole.replace('-', '') + fraction.padEnd(scale, '0')) * (value[0] === '-' ? -1n : 1n)
}
