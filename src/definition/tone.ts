/** Tones of values: how the badge of a choice or state looks on HTML pages. */

import type { FaultReport } from './definition-fault.ts'
import { didYouMean } from './name-suggestion.ts'
import { type Expectation, objectOption } from './option-table.ts'

export type Tone = 'neutral' | 'good' | 'warning' | 'danger'

const tones: readonly unknown[] = ['neutral', 'good', 'warning', 'danger'] satisfies Tone[]

export const tonesOption: Expectation<Readonly<Record<string, Tone>>> = {
  expected: "an object with 'neutral', 'good', 'warning' or 'danger' for values, such as { done: 'good' }",
  accepts: (value): value is Readonly<Record<string, Tone>> =>
    objectOption.accepts(value) && Object.values(value).every((tone) => tones.includes(tone)),
}

/** The tones by value. */
export function tonesOf(given: Readonly<Partial<Record<string, Tone>>> = {}): ReadonlyMap<string, Tone> {
  return new Map(Object.entries(given).flatMap(([value, tone]) => (tone ? [[value, tone] as const] : [])))
}

/** Reports tones of values that the field does not have. */
export function checkTones(
  given: Readonly<Partial<Record<string, Tone>>> | undefined,
  values: readonly string[],
  report: FaultReport,
): void {
  for (const value of Object.keys(given ?? {})) {
    if (values.includes(value)) continue
    report(`The option 'tones' names '${value}', which is not a value.`, didYouMean(value, values))
  }
}
