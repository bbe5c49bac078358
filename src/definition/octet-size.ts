/** Sizes in octets as definitions write them: `'20 MB'`. A kB is 1,000 octets, a MB 1,000,000. */

import type { Expectation } from './option-table.ts'

const units: Readonly<Record<string, number>> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

/** The octets of a size; undefined where the value is none. */
export function parseOctetSize(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const [, count, unit = ''] = /^([1-9]\d{0,5}) (B|kB|MB|GB|TB)$/.exec(value) ?? []
  const size = units[unit]
  return size === undefined ? undefined : Number(count) * size
}

/** An option with a size up to the most. */
export function octetSizeOption(most: string): Expectation<string> {
  const max = parseOctetSize(most) ?? 0
  return {
    expected: `a size such as '1 MB', at most '${most}'`,
    accepts(value): value is string {
      const octets = parseOctetSize(value)
      return octets !== undefined && octets <= max
    },
  }
}

/** The octets as a size in the largest unit that divides them: `20 MB`. */
export function formatOctetSize(octets: number): string {
  const [unit = 'B', size = 1] =
    Object.entries(units)
      .toReversed()
      .find(([, one]) => octets >= one && octets % one === 0) ?? []
  return `${octets / size} ${unit}`
}
