/** Retry-After (RFC 9110 §10.2.3). */

import { parseHttpDate } from './http-date.ts'

/** The milliseconds to wait from now; undefined where the value says nothing. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = parseHttpDate(value, now)
  return at === undefined ? undefined : Math.max(0, at - now)
}
