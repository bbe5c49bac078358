/** Cookies (RFC 6265): the one that is read, and the line that sets or clears it. */

/** The value of the first cookie of that name; undefined where there is none. */
export function findCookie(fieldValue: string | undefined, name: string): string | undefined {
  for (const pair of fieldValue?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}

export interface SetCookie {
  readonly name: string
  readonly value: string
  /** In seconds; 0 clears it. */
  readonly maxAge: number
  readonly secure: boolean
}

/** Neither scripts nor pages of other sites get anything of it (§5.2.6, SameSite of 6265bis). */
export function formatSetCookie({ name, value, maxAge, secure }: SetCookie): string {
  const parts = [`${name}=${value}`, 'Path=/', `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Strict']
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ')
}
