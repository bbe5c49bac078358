/** Numbers: integers that binary64 holds exactly, and any finite binary64 (RFC 8259 §6). */

import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { Expectation } from '../option-table.ts'
import { wholeNumber } from '../option-table.ts'
import { checkRange, type Kind } from './kind.ts'

export type NumberOptions = { readonly min?: number; readonly max?: number }

/**
 * A field with a whole number within ±(2^53 − 1).
 * @example
 * const stock = integer({ min: 0 }).default(0)
 */
export function integer(options: NumberOptions = {}): ValueField<number> {
  return declareField({ kind: 'integer', options }, valueModifiers)
}

/**
 * A field with a binary64 number. Use `decimal` for money and other exact values.
 * @example
 * const latitude = number({ min: -90, max: 90 })
 */
export function number(options: NumberOptions = {}): ValueField<number> {
  return declareField({ kind: 'number', options }, valueModifiers)
}

const least = Number.MIN_SAFE_INTEGER
const most = Number.MAX_SAFE_INTEGER

const finite: Expectation = {
  expected: 'a finite number',
  accepts: (value) => Number.isFinite(value),
}

const asNumber = {
  // Adding 0 turns -0, which columns cannot tell from 0, into 0.
  encode: (value: unknown) => (value as number) + 0,
  decode: (stored: unknown) => Number(stored),
}

export const integerKind: Kind<NumberOptions> = {
  options: { min: wholeNumber(least, most), max: wholeNumber(least, most) },
  check: checkRange,
  schema: ({ min = least, max = most }) => ({ type: 'integer', minimum: min, maximum: max }),
  ...asNumber,
  requirement: () => 'Must be a whole number.',
}

export const numberKind: Kind<NumberOptions> = {
  options: { min: finite, max: finite },
  check: checkRange,
  schema: ({ min, max }) => ({
    type: 'number',
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
  }),
  ...asNumber,
  requirement: () => 'Must be a number.',
}
