/** The kinds `date` and `timestamp` (RFC 3339 §5.6), of the years 0001 to 9999 and without leap seconds. */

import { declareField, type ValueField, valueModifiers } from '../field.ts'
import type { FieldKind } from '../field-kind.ts'
import type { JsonSchema } from '../value-types.ts'
import { compareMatching, type Kind } from './kind.ts'
import { textTraits } from './text.ts'

/**
 * A field with a calendar day, `YYYY-MM-DD`.
 * @example
 * const birthday = date().optional()
 */
export function date(): ValueField<string, 'time'> {
  return declareField({ kind: dateKind, options: {} }, valueModifiers)
}

/**
 * A field with a point in time (RFC 3339). Requests may use any offset; responses use UTC with
 * milliseconds.
 * @example
 * const publishedAt = timestamp().optional().readOnly()
 */
export function timestamp(): ValueField<string, 'time'> {
  return declareField({ kind: timestampKind, options: {} }, valueModifiers)
}

const months = [
  '(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])',
  '(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)',
  '02-(?:0[1-9]|1[0-9]|2[0-8])',
].join('|')
const fours = '0[48]|[2468][048]|[13579][26]'
/** Divisible by 4 and not by 100, or divisible by 400; never 0000. */
const leapYear = `(?:[0-9]{2}(?:${fours})|(?:${fours})00)`
/** Without look-ahead, which not every engine has. */
const year = '(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])'
const day = `(?:${year}-(?:${months})|${leapYear}-02-29)`
const clock = '(?:[01][0-9]|2[0-3]):[0-5][0-9]'
const moment = `${day}[Tt]${clock}:[0-5][0-9](?:\\.[0-9]{1,3})?(?:[Zz]|[+-]${clock})`

export const timestampSchema: JsonSchema = Object.freeze({
  type: 'string',
  format: 'date-time',
  pattern: `^${moment}$`,
})

export const dateSchema: JsonSchema = Object.freeze({
  type: 'string',
  format: 'date',
  pattern: `^${day}$`,
})

export const dateKind: Kind = {
  ...textTraits,
  name: 'date',
  encoding: 'quoted',
  mayBeKey: true,
  order: 'day',
  family: 'date',
  compare: compareMatching('a date such as 2026-02-28'),
  comparedSchema: dateSchema,
  examples: () => ['2026-11-15'],
  input: { type: 'date', placeholder: undefined, attributes: () => ({}) },
  options: {},
  check: () => {},
  schema: () => dateSchema,
  requirement: () => 'Must be a date such as 2026-02-28.',
}

export const exampleTime = '2026-11-15T09:30:00.000Z'

const timestampForm = 'a timestamp such as 2026-02-28T12:00:00Z'
const compareForm = compareMatching(timestampForm)

const compareTimestamp: FieldKind['compare'] = (value, field) =>
  typeof value === 'string' && isWithinYears(value) ? compareForm(value, field) : { expected: timestampForm }

export const timestampKind: Kind = {
  ...textTraits,
  name: 'timestamp',
  encoding: 'quoted',
  order: 'instant',
  family: 'timestamp',
  compare: compareTimestamp,
  comparedSchema: timestampSchema,
  examples: () => [exampleTime],
  input: {
    type: 'datetime-local',
    placeholder: '2026-02-28T12:00:00.000Z',
    attributes: () => ({ step: '0.001' }),
  },
  options: {},
  check: () => {},
  schema: () => timestampSchema,
  encode: (value) => new Date((value as string).toUpperCase()).toISOString(),
  requirement: () => 'Must be a date-time with an offset, such as 2026-02-28T12:00:00Z.',
}

const earliest = Date.parse('0001-01-01T00:00:00.000Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** Whether a well-formed date-time is within the years 0001 to 9999 in UTC. */
export function isWithinYears(value: string): boolean {
  const time = Date.parse(value.toUpperCase())
  return time >= earliest && time <= latest
}
