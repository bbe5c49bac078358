/**
 * Exact decimals: a string in bodies, since JSON numbers are read as binary64 by most clients; a
 * scaled 64-bit integer in columns, which stores compare and sort exactly.
 */

import { formatScaled } from '../../tools/decimal-sum.ts'
import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { JsonSchema } from '../model.ts'
import { didYouMean } from '../name-suggestion.ts'
import { type Expectation, wholeNumber } from '../option-table.ts'
import { atLeastPattern, atMostPattern, isNegative, isZero } from './decimal-pattern.ts'
import type { Kind } from './kind.ts'

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
export function decimal(options: DecimalOptions): ValueField<string, 'decimal'> {
  return declareField({ kind: 'decimal', options }, valueModifiers)
}

const maxDigits = 18
/** Any decimal, of whatever scale. */
export const decimalPattern = '^-?[0-9]+(?:\\.[0-9]+)?$'
const plain = new RegExp(decimalPattern)

const bound: Expectation = {
  expected: "a decimal in quotes, such as '0.01'",
  accepts: (value) => typeof value === 'string' && plain.test(value) && value.length < 40,
}

export const decimalKind: Kind<DecimalOptions> = {
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
  requirement: (options) =>
    `Must be a decimal string such as "${exampleOf(options)}", with at most ${maxWholeDigits(options)} digits before the point and ${options.scale} after it.`,
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
