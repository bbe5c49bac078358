/** The kind `duration`, as a contributor would add it: one file. A text such as `PT1H30M`, stored in seconds. */

import { declareField, type ValueField, valueModifiers } from '../../../src/definition/field.ts'
import type { FieldValues, PresentValue } from '../../../src/definition/field-kind.ts'
import { compareMatching, type Kind } from '../../../src/definition/kinds/kind.ts'
import { textTraits } from '../../../src/definition/kinds/text.ts'
import { oneOf } from '../../../src/definition/option-table.ts'
import type { JsonSchema } from '../../../src/definition/value-types.ts'

export type DurationOptions = {
  /** The least unit: seconds by default. */
  readonly unit?: 'minutes'
}

/** A field with a duration of hours, minutes and seconds (RFC 3339 appendix A), such as `PT1H30M`. */
export function duration(options: DurationOptions = {}): ValueField<string, 'quantity'> {
  return declareField({ kind: durationKind, options }, valueModifiers)
}

const form = /^PT(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,6})S)?$/

/** Without look-ahead, which not every engine has. */
function schemaOf({ unit }: DurationOptions): JsonSchema {
  const [hours, minutes, seconds] = ['[0-9]{1,6}H', '[0-9]{1,6}M', '[0-9]{1,6}S']
  const ofMinutes = `${hours}|(?:${hours})?${minutes}`
  const pattern = unit ? ofMinutes : `${ofMinutes}|(?:${hours})?(?:${minutes})?${seconds}`
  return { type: 'string', maxLength: 23, pattern: `^PT(?:${pattern})$` }
}

/** Returns the seconds. */
function parseDuration(text: string): number {
  const [, hours = 0, minutes = 0, seconds = 0] = form.exec(text) ?? []
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** In the shortest form; an average is rounded to seconds. */
function formatDuration(stored: PresentValue): string {
  const all = Math.round(Number(stored))
  const parts = { H: Math.floor(all / 3600), M: Math.floor((all % 3600) / 60), S: all % 60 }
  const shown = Object.entries(parts).filter(([, count]) => count > 0)
  return `PT${shown.map(([unit, count]) => `${count}${unit}`).join('') || '0S'}`
}

/** Durations without a limit: sums and averages. */
const totals: FieldValues = {
  get kind() {
    return durationKind
  },
  schema: { type: 'string', pattern: '^PT[0-9HMS]+$' },
  scale: undefined,
  encode: (value) => parseDuration(value as string),
  decode: formatDuration,
}

export const durationKind: Kind<DurationOptions> = {
  ...textTraits,
  name: 'duration',
  column: 'integer',
  encoding: 'decoded',
  order: 'amount',
  family: 'duration',
  compare: compareMatching('a duration such as PT1H30M'),
  comparedSchema: schemaOf({}),
  totals: { sum: () => totals, average: () => totals },
  examples: () => ['PT1H30M'],
  input: { type: 'text', placeholder: 'PT1H30M', attributes: () => ({ pattern: 'PT.+' }) },
  options: { unit: oneOf('minutes') },
  check: () => {},
  schema: schemaOf,
  encode: (value) => parseDuration(value as string),
  decode: formatDuration,
  requirement: () => 'Must be a duration such as PT1H30M.',
}
