/** HTTP dates (RFC 9110 §5.6.7): parsing the three formats, formatting IMF-fixdate; and Retry-After (§10.2.3). */

import { memoizeByText } from '../tools/memoize.ts'

/**
 * Parses an HTTP date to milliseconds since 1970; undefined if it is invalid. `now` decides the
 * century of a two-digit year. The day name is not checked against the date.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups
    if (parts !== undefined) return instantOf(parts, now)
  }
  return undefined
}

/** Formats a time as IMF-fixdate, in whole seconds. */
export function formatHttpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString()
}

/** Formats a timestamp of `toISOString`, or its first 19 characters, as IMF-fixdate. */
export function formatTimestampAsHttpDate(timestamp: string): string {
  return `${formatDay(timestamp.slice(0, 10))} ${timestamp.slice(11, 19)} GMT`
}

/** Memoized, because many timestamps share a day. */
const formatDay = memoizeByText((day) => new Date(day).toUTCString().slice(0, 16))

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const month = `(?<month>${months.join('|')})`
const time = '(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})'
const shortDay = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const longDay = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'

const forms = [
  new RegExp(`^${shortDay}, (?<day>[0-9]{2}) ${month} (?<year>[0-9]{4}) ${time} GMT$`),
  new RegExp(`^${longDay}, (?<day>[0-9]{2})-${month}-(?<year>[0-9]{2}) ${time} GMT$`),
  new RegExp(`^${shortDay} ${month} (?<day>[0-9]{2}| [0-9]) ${time} (?<year>[0-9]{4})$`),
]

type Parts = Record<string, string>

function instantOf(parts: Parts, now: number): number | undefined {
  // A leap second, 60, rolls over into the next minute.
  if (Number(parts.hour) > 23 || Number(parts.minute) > 59 || Number(parts.second) > 60) return
  const year = Number(parts.year)
  const instant =
    parts.year?.length === 2 ? resolveTwoDigitYear(parts, year, now) : instantInYear(parts, year)
  // Date turns 30 February into a day of March.
  const dayOfMonth = new Date(instant - Number(parts.second) * 1000).getUTCDate()
  return dayOfMonth === Number(parts.day) ? instant : undefined
}

/** §5.6.7: a date more than 50 years ahead is the latest past year with the same two digits. */
function resolveTwoDigitYear(parts: Parts, twoDigits: number, now: number): number {
  const current = new Date(now)
  const limit = new Date(now).setUTCFullYear(current.getUTCFullYear() + 50)
  const century = Math.floor(current.getUTCFullYear() / 100) * 100
  const candidates = [century + 100, century].map((base) => instantInYear(parts, base + twoDigits))
  return candidates.find((instant) => instant <= limit) ?? instantInYear(parts, century - 100 + twoDigits)
}

function instantInYear(parts: Parts, year: number): number {
  const date = new Date(0)
  // Date.UTC would map the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(year, months.indexOf(parts.month ?? ''), Number(parts.day))
  return date.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second))
}

/** The milliseconds that a value of Retry-After asks to wait from now; undefined where it says nothing. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = parseHttpDate(value, now)
  return at === undefined ? undefined : Math.max(0, at - now)
}
