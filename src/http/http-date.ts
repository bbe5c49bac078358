/** HTTP dates (RFC 9110 §5.6.7): one form to write, three to read. */

import { memoizeByText } from '../tools/memoize.ts'

/**
 * Milliseconds since 1970; undefined where the text is no valid date in one of the three forms.
 * `now` decides the century of a two-digit year. The name of the day is not held against the date.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of forms) {
    const parts = form.exec(text)?.groups
    if (parts !== undefined) return instantOf(parts, now)
  }
  return undefined
}

/** As IMF-fixdate, in whole seconds. */
export function formatHttpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString()
}

/** The same of a timestamp as `toISOString` writes it, or of its first 19 characters. */
export function formatTimestampAsHttpDate(timestamp: string): string {
  return `${formatDay(timestamp.slice(0, 10))} ${timestamp.slice(11, 19)} GMT`
}

/** A day in either form; many timestamps have the same. */
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
  // The second may be 60, a leap second, which rolls over into the next minute.
  if (Number(parts.hour) > 23 || Number(parts.minute) > 59 || Number(parts.second) > 60) return
  const year = Number(parts.year)
  const instant =
    parts.year?.length === 2 ? resolveTwoDigitYear(parts, year, now) : instantInYear(parts, year)
  // The 30th of February would have become a day in March.
  const dayOfMonth = new Date(instant - Number(parts.second) * 1000).getUTCDate()
  return dayOfMonth === Number(parts.day) ? instant : undefined
}

/** §5.6.7: what appears more than 50 years ahead is the latest past year with those two digits. */
function resolveTwoDigitYear(parts: Parts, twoDigits: number, now: number): number {
  const current = new Date(now)
  const limit = new Date(now).setUTCFullYear(current.getUTCFullYear() + 50)
  const century = Math.floor(current.getUTCFullYear() / 100) * 100
  const candidates = [century + 100, century].map((base) => instantInYear(parts, base + twoDigits))
  return (
    candidates.find((instant) => instant <= limit) ??
    instantInYear(parts, century - 100 + twoDigits)
  )
}

function instantInYear(parts: Parts, year: number): number {
  const date = new Date(0)
  // Not Date.UTC, which takes the years 0 to 99 for those of the twentieth century.
  date.setUTCFullYear(year, months.indexOf(parts.month ?? ''), Number(parts.day))
  return date.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second))
}
