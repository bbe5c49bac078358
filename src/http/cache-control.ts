/**
 * Cache-Control (RFC 9111 §5.2): formatting the directives of a response (with RFC 5861 and
 * RFC 8246), and the age that the directives of a request accept.
 */

import { splitList } from './field-value.ts'

export interface CacheDirectives {
  readonly private?: boolean
  readonly noStore?: boolean
  readonly noCache?: boolean
  readonly noTransform?: boolean
  readonly immutable?: boolean
  /** In seconds, like those below. */
  readonly maxAge?: number
  readonly staleWhileRevalidate?: number
}

/** Formats the directives in a fixed order, so that equal directives give equal octets. */
export function formatCacheControl(directives: CacheDirectives): string {
  const directiveTexts: string[] = []
  for (const [member, name] of names) {
    const value = directives[member]
    if (value === true) directiveTexts.push(name)
    if (typeof value === 'number') directiveTexts.push(`${name}=${clampDeltaSeconds(value)}`)
  }
  return directiveTexts.join(', ')
}

const names: readonly (readonly [keyof CacheDirectives, string])[] = [
  ['private', 'private'],
  ['noStore', 'no-store'],
  ['noCache', 'no-cache'],
  ['noTransform', 'no-transform'],
  ['maxAge', 'max-age'],
  ['staleWhileRevalidate', 'stale-while-revalidate'],
  ['immutable', 'immutable'],
]

/**
 * The age in seconds that a request's Cache-Control accepts: unlimited without `max-age`
 * (§5.2.1.1), 0 with `no-cache` (§5.2.1.4) or an invalid `max-age`.
 */
export function maxAcceptedAge(fieldValue: string | undefined): number {
  if (fieldValue === undefined) return Number.POSITIVE_INFINITY
  const ages = splitList(fieldValue.toLowerCase()).map((directive) => {
    if (directive === 'no-cache') return 0
    if (!directive.startsWith('max-age')) return Number.POSITIVE_INFINITY
    return Number(/^max-age="?(\d+)"?$/.exec(directive)?.[1] ?? 0)
  })
  return Math.min(Number.POSITIVE_INFINITY, ...ages)
}

/** §1.2.2: a non-negative integer; recipients use 2^31 for larger values. */
function clampDeltaSeconds(seconds: number): number {
  return Math.min(Math.max(Math.trunc(seconds) || 0, 0), 2 ** 31)
}
