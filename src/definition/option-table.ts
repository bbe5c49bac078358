/** Checks options that users write as plain objects against a table of the expected values. */

import type { FaultReport } from './definition-fault.ts'
import { didYouMean } from './name-suggestion.ts'

export interface Expectation<Value = unknown> {
  /** Completes "must be …". */
  readonly expected: string
  readonly accepts: (value: unknown) => value is Value
}

export interface RequiredOption<Value = unknown> extends Expectation<Value> {
  readonly isRequired: true
  /** A complete sentence for those who left it out. */
  readonly remedy: string | undefined
}

export type OptionTable = Readonly<Record<string, Expectation | RequiredOption>>
export type Options = Readonly<Record<string, unknown>>

type AcceptedBy<E> = E extends Expectation<infer Value> ? Value : never
/** The valid options of a table. A required one is absent where it has a fault. */
export type OptionsOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: AcceptedBy<Table[Name]>
}
/** The options of a table with all that are required. */
type CompleteOptions<Table extends OptionTable> = OptionsOf<Table> & {
  readonly [Name in keyof Table as Table[Name] extends RequiredOption ? Name : never]: AcceptedBy<Table[Name]>
}

/** An option that must be there. */
export function required<Value>(expectation: Expectation<Value>, remedy?: string): RequiredOption<Value> {
  return { ...expectation, isRequired: true, remedy }
}

/** Returns the valid options; reports unknown names, invalid values and required options that are missing. */
export function checkOptions<Table extends OptionTable>(
  options: unknown,
  table: Table,
  report: FaultReport,
): OptionsOf<Table> {
  const given = options === undefined ? {} : options
  if (!objectOption.accepts(given)) {
    report(`Options must be ${objectOption.expected}, not ${formatValue(given)}.`)
    return {}
  }
  const valid = Object.entries(given).filter(([name, value]) => {
    const expectation = Object.hasOwn(table, name) ? table[name] : undefined
    if (expectation === undefined) reportUnknown(name, table, report)
    if (expectation === undefined || value === undefined) return false
    if (expectation.accepts(value)) return true
    report(`The option '${name}' must be ${expectation.expected}, not ${formatValue(value)}.`)
    return false
  })
  for (const [name, { remedy }] of requiredOptions(table)) {
    if (given[name] === undefined) report(`The option '${name}' is missing.`, remedy)
  }
  // Each value was accepted by the expectation of its name.
  return Object.fromEntries(valid) as OptionsOf<Table>
}

/** Whether the options have all that are required: else a fault was reported. */
export function isComplete<Table extends OptionTable>(
  options: OptionsOf<Table>,
  table: Table,
): options is CompleteOptions<Table> {
  return requiredOptions(table).every(([name]) => Object.hasOwn(options, name))
}

function requiredOptions(table: OptionTable): readonly (readonly [name: string, RequiredOption])[] {
  return Object.entries(table).flatMap(([name, option]) =>
    'isRequired' in option ? [[name, option] as const] : [],
  )
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

export const objectOption: Expectation<Options> = {
  expected: 'an object',
  accepts: (value): value is Options => typeof value === 'object' && value !== null && !Array.isArray(value),
}

export const nonEmptyText: Expectation<string> = {
  expected: 'a non-empty text',
  accepts: (value): value is string => typeof value === 'string' && value.trim() !== '',
}

/** Text for people, on one line. */
export function lineOfText(max: number): Expectation<string> {
  return {
    expected: `a text of 1 to ${max} characters on one line`,
    accepts: (value): value is string =>
      typeof value === 'string' &&
      [...value].length <= max &&
      /^[^\p{Cc}\p{Cs}]+$/u.test(value) &&
      value.trim() !== '',
  }
}

export const booleanOption: Expectation<boolean> = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
}

export const listOfTexts: Expectation<readonly string[]> = {
  expected: 'a list of texts',
  accepts: (value): value is readonly string[] => Array.isArray(value) && value.every(nonEmptyText.accepts),
}

type AnyFunction = (...parameters: never) => unknown

/** A function of the definition. Its parameters and its result are what the service uses it for. */
export function functionOf<F extends AnyFunction>(): Expectation<F> {
  return { expected: 'a function', accepts: (value): value is F => typeof value === 'function' }
}

/** For options that are checked elsewhere. */
export const anyValue: Expectation = { expected: 'anything', accepts: (_value): _value is unknown => true }

export function wholeNumber(min: number, max: number): Expectation<number> {
  const accepts = (value: unknown): value is number =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
  return { expected: `a whole number from ${min} to ${max}`, accepts }
}

export function oneOf<const Value extends string>(...values: readonly Value[]): Expectation<Value> {
  return {
    expected: values.map((value) => `'${value}'`).join(' or '),
    accepts: (value): value is Value => values.some((one) => one === value),
  }
}
