/** Cache-Control of responses (RFC 9111 §5.2.2; RFC 5861; RFC 8246), written from typed directives. */

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
  const written: string[] = []
  for (const [member, name] of names) {
    const value = directives[member]
    if (value === true) written.push(name)
    if (typeof value === 'number') written.push(`${name}=${deltaSeconds(value)}`)
  }
  return written.join(', ')
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

/** RFC 9111 §1.2.2: a whole number; recipients count 2^31 for anything beyond. */
function deltaSeconds(seconds: number): number {
  return Math.min(Math.max(Math.trunc(seconds) || 0, 0), 2 ** 31)
}
