/** Durations as definitions write them: `'30 days'`, `'1 year'`. */

import type { Expectation } from './option-table.ts'

/** Seconds. A month has 30 days, a year 365. */
const units: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 7 * 86_400,
  month: 30 * 86_400,
  year: 365 * 86_400,
}

/** The seconds of a duration; undefined where the value is none. */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, count, unit = ''] = /^([1-9]\d{0,4}) (second|minute|hour|day|week|month|year)s?$/.exec(value) ?? []
  const seconds = units[unit]
  return seconds === undefined ? undefined : Number(count) * seconds
}

/** An option with a duration from the least to the most, both given as durations. */
export function durationOption(least: string, most: string): Expectation<string> {
  const [min = 0, max = 0] = [parseDuration(least), parseDuration(most)]
  return {
    expected: `a duration from '${least}' to '${most}'`,
    accepts(value): value is string {
      const seconds = parseDuration(value)
      return seconds !== undefined && seconds >= min && seconds <= max
    },
  }
}

/** The seconds as a duration in the largest unit that divides them: `1 year`. */
export function formatDuration(seconds: number): string {
  const [unit = 'second', size = 1] =
    Object.entries(units)
      .toReversed()
      .find(([, length]) => seconds % length === 0) ?? []
  const count = seconds / size
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
