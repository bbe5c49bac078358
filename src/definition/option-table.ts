/** Checks options that users write as plain objects against a table of the expected values. */

import type { FaultReport } from './definition-fault.ts'
import { didYouMean } from './name-suggestion.ts'

export interface Expectation {
  /** Completes "must be …". */
  readonly expected: string
  accepts(value: unknown): boolean
}

export type OptionTable = Readonly<Record<string, Expectation>>
export type Options = Readonly<Record<string, unknown>>

/** Returns the valid options; reports unknown names and invalid values. */
export function checkOptions(options: unknown, table: OptionTable, report: FaultReport): Options {
  if (options === undefined) return {}
  if (!objectOption.accepts(options)) {
    report(`Options must be ${objectOption.expected}, not ${formatValue(options)}.`)
    return {}
  }
  const valid = Object.entries(options as Options).filter(([name, value]) => {
    const expectation = Object.hasOwn(table, name) ? table[name] : undefined
    if (expectation === undefined) reportUnknown(name, table, report)
    if (expectation === undefined || value === undefined) return false
    if (expectation.accepts(value)) return true
    report(`The option '${name}' must be ${expectation.expected}, not ${formatValue(value)}.`)
    return false
  })
  return Object.fromEntries(valid)
}

function reportUnknown(name: string, table: OptionTable, report: FaultReport): void {
  const names = Object.keys(table)
  const expected = names.length === 0 ? 'Expected none.' : `Expected: ${names.join(', ')}.`
  report(`Unknown option '${name}'.`, didYouMean(name, names) ?? expected)
}

/** Returns the value as short text on one line, for messages. */
export function formatValue(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'bigint') return `${value}n`
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch {
    // Circular, or with a toJSON that throws.
  }
  text ??= typeof value
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

export const objectOption: Expectation = {
  expected: 'an object',
  accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

export const nonEmptyText: Expectation = {
  expected: 'a non-empty text',
  accepts: (value) => typeof value === 'string' && value.trim() !== '',
}

/** Text for people, on one line. */
export function lineOfText(max: number): Expectation {
  return {
    expected: `a text of 1 to ${max} characters on one line`,
    accepts: (value) =>
      typeof value === 'string' &&
      [...value].length <= max &&
      /^[^\p{Cc}\p{Cs}]+$/u.test(value) &&
      value.trim() !== '',
  }
}

export const booleanOption: Expectation = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
}

export const listOfTexts: Expectation = {
  expected: 'a list of texts',
  accepts: (value) => Array.isArray(value) && value.every(nonEmptyText.accepts),
}

/** For options that are checked elsewhere. */
export const anyValue: Expectation = { expected: 'anything', accepts: () => true }

export function wholeNumber(min: number, max: number): Expectation {
  const accepts = (value: unknown) =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
  return { expected: `a whole number from ${min} to ${max}`, accepts }
}

export function oneOf(...values: readonly string[]): Expectation {
  return {
    expected: values.map((value) => `'${value}'`).join(' or '),
    accepts: (value) => typeof value === 'string' && values.includes(value),
  }
}
