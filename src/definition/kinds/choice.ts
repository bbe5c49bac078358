/** The kind `choice`: one of the declared texts. */

import type { FaultReport } from '../definition-fault.ts'
import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { Comparand, FieldValues, Reading } from '../field-kind.ts'
import { type Expectation, objectOption, required } from '../option-table.ts'
import { checkTones, type Tone, tonesOf, tonesOption } from '../tone.ts'
import type { JsonValue } from '../value-types.ts'
import type { Kind } from './kind.ts'
import { cleanText, excludeSurrogates, textExamples, textTraits } from './text.ts'

export type ChoiceOptions = {
  readonly values: readonly string[]
  /** The look of values on HTML pages. */
  readonly tones?: Readonly<Record<string, Tone>>
}

/**
 * A field with one of the given texts as its value.
 * @example
 * const size = choice(['small', 'medium', 'large']).default('medium')
 * const priority = choice(['low', 'high'], { tones: { high: 'danger' } })
 */
export function choice<const V extends string>(
  values: readonly V[],
  options: { readonly tones?: Readonly<Partial<Record<NoInfer<V>, Tone>>> } = {},
): ValueField<V> {
  const given = objectOption.accepts(options) ? { ...options, values } : options
  return declareField({ kind: choiceKind, options: given }, valueModifiers)
}

const clean = new RegExp(excludeSurrogates(cleanText), 'u')

export const choiceNames: Expectation<readonly string[]> = {
  expected: 'a list of texts of 1 to 100 characters',
  accepts: (value): value is readonly string[] => Array.isArray(value) && value.every(isName),
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= 100 && clean.test(value)
}

/** The traits of choices and states. */
export const choiceTraits = {
  ...textTraits,
  choices: 'any',
  family: 'text',
  compare: compareChoice,
  isTrimmed: false,
  examples: textExamples,
} as const satisfies Partial<Kind>

/** Refuses an unknown value: a client with a typo would mistake the empty list for the result. */
function compareChoice(value: JsonValue, { schema }: FieldValues): Reading<Comparand> {
  const values = schema.enum as readonly string[]
  const stored = values.find((name) => name === value)
  return stored === undefined ? { expected: formatChoices(values) } : { value: { stored, isExact: true } }
}

export const choiceKind: Kind<ChoiceOptions> = {
  ...choiceTraits,
  name: 'choice',
  mayBeKey: true,
  options: { values: required(choiceNames), tones: tonesOption },
  check({ values, tones }, report) {
    if (values.length === 0) report('A choice needs at least one value.')
    reportDuplicates(values, report)
    checkTones(tones, values, report)
  },
  parts: ({ tones }) => ({ tones: tonesOf(tones) }),
  schema: ({ values }) => ({ type: 'string', enum: [...values] }),
  requirement: ({ values }) => `Must be ${formatChoices(values)}.`,
}

export function formatChoices(values: readonly unknown[]): string {
  const quoted = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return quoted.length === 1 ? quoted[0]! : `one of ${quoted.join(', ')}`
}

export function reportDuplicates(values: readonly string[], report: FaultReport): void {
  const repeated = values.filter((value, index) => values.indexOf(value) !== index)
  for (const value of new Set(repeated)) report(`'${value}' is listed twice.`, 'Remove the duplicate.')
}
