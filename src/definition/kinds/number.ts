/** Numbers: integers that binary64 holds exactly, and any finite binary64 (RFC 8259 §6). */

import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { FieldValues, InputTraits, PresentValue } from '../field-kind.ts'
import { type Expectation, wholeNumber } from '../option-table.ts'
import type { JsonSchema, JsonValue } from '../value-types.ts'
import { checkRange, type Kind, usualTraits } from './kind.ts'

export type NumberOptions = { readonly min?: number; readonly max?: number }

/**
 * A field with a whole number within ±(2^53 − 1).
 * @example
 * const stock = integer({ min: 0 }).default(0)
 */
export function integer(options: NumberOptions = {}): ValueField<number> {
  return declareField({ kind: integerKind, options }, valueModifiers)
}

/**
 * A field with a binary64 number. Use `decimal` for money and other exact values.
 * @example
 * const latitude = number({ min: -90, max: 90 })
 */
export function number(options: NumberOptions = {}): ValueField<number> {
  return declareField({ kind: numberKind, options }, valueModifiers)
}

const least = Number.MIN_SAFE_INTEGER
const most = Number.MAX_SAFE_INTEGER

const finite: Expectation<number> = {
  expected: 'a finite number',
  accepts: (value): value is number => Number.isFinite(value),
}

/** Numbers of the type without limits, such as sums. */
export function unlimited(kind: Kind, type: 'integer' | 'number'): FieldValues {
  const { encode, decode } = numberTraits
  return { kind, schema: { type }, scale: undefined, encode, decode }
}

/** A control for numbers. */
function numberInput(step: string): InputTraits {
  return {
    type: 'number',
    placeholder: undefined,
    attributes: ({ schema: { minimum, maximum } }) => ({
      step,
      ...(minimum !== undefined && { min: String(minimum) }),
      ...(maximum !== undefined && { max: String(maximum) }),
    }),
  }
}

/** One more than an integer field can hold: all larger integers compare alike. */
const beyondSafeInteger = 2 ** 53

const numberTraits = {
  ...usualTraits,
  shape: 'number',
  encoding: 'plain',
  order: 'amount',
  operators: 'order',
  examples: ({ minimum, maximum }: JsonSchema) =>
    [1, 10, minimum, maximum].filter((one) => typeof one === 'number'),
  // Adding 0 turns -0, which columns cannot tell from 0, into 0.
  encode: (value: JsonValue) => (value as number) + 0,
  decode: (stored: PresentValue) => Number(stored),
} as const satisfies Partial<Kind>

export const integerKind: Kind<NumberOptions> = {
  ...numberTraits,
  name: 'integer',
  column: 'integer',
  mayBeKey: true,
  family: 'integer',
  compare(value) {
    const isWhole = Number.isInteger(value) || Math.abs(Number(value)) > beyondSafeInteger
    if (typeof value !== 'number' || !isWhole) return { expected: 'an integer' }
    const stored = Math.max(-beyondSafeInteger, Math.min(beyondSafeInteger, value)) + 0
    return { value: { stored, isExact: true } }
  },
  comparedSchema: { type: 'integer' },
  totals: {
    sum: () => unlimited(integerKind, 'integer'),
    average: () => unlimited(numberKind, 'number'),
  },
  input: numberInput('1'),
  options: { min: wholeNumber(least, most), max: wholeNumber(least, most) },
  check: checkRange,
  schema: ({ min = least, max = most }) => ({ type: 'integer', minimum: min, maximum: max }),
  requirement: () => 'Must be a whole number.',
}

export const numberKind: Kind<NumberOptions> = {
  ...numberTraits,
  name: 'number',
  column: 'real',
  family: 'number',
  compare: (value) =>
    typeof value === 'number' && Number.isFinite(value)
      ? { value: { stored: value + 0, isExact: true } }
      : { expected: 'a number' },
  comparedSchema: { type: 'number' },
  totals: {
    sum: () => unlimited(numberKind, 'number'),
    average: () => unlimited(numberKind, 'number'),
  },
  input: numberInput('any'),
  options: { min: finite, max: finite },
  check: checkRange,
  schema: ({ min, max }) => ({
    type: 'number',
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  }),
  requirement: () => 'Must be a number.',
}
