/**
 * Cache-Control: of responses (RFC 9111 §5.2.2; RFC 5861; RFC 8246), written from typed directives;
 * and what that of a request asks.
 */

import { splitList } from './list-field.ts'

export interface CacheDirectives {
  readonly public?: boolean
  readonly private?: boolean
  readonly noStore?: boolean
  readonly noCache?: boolean
  readonly noTransform?: boolean
  readonly mustRevalidate?: boolean
  readonly immutable?: boolean
  /** Seconds. */
  readonly maxAge?: number
  readonly sharedMaxAge?: number
  readonly staleWhileRevalidate?: number
  readonly staleIfError?: number
}

/** Always in the same order, so that equal directives give equal bytes. */
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
  ['public', 'public'],
  ['private', 'private'],
  ['noStore', 'no-store'],
  ['noCache', 'no-cache'],
  ['noTransform', 'no-transform'],
  ['mustRevalidate', 'must-revalidate'],
  ['maxAge', 'max-age'],
  ['sharedMaxAge', 's-maxage'],
  ['staleWhileRevalidate', 'stale-while-revalidate'],
  ['staleIfError', 'stale-if-error'],
  ['immutable', 'immutable'],
]

/**
 * How many seconds old an answer may be for whoever sent this Cache-Control: any number unless it
 * says `max-age` (RFC 9111 §5.2.1.1), none with `no-cache` (§5.2.1.4) or where it says nonsense.
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

/** RFC 9111 §1.2.2: a whole number; recipients count 2^31 for anything beyond. */
function clampDeltaSeconds(seconds: number): number {
  return Math.min(Math.max(Math.trunc(seconds) || 0, 0), 2 ** 31)
}
