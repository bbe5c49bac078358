/** Cookies (RFC 6265): reading one from Cookie, and formatting Set-Cookie. */

/** The value of the first cookie with this name, or undefined. */
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
  /** In seconds; 0 deletes the cookie. */
  readonly maxAge: number
  readonly secure: boolean
  /** Whether navigations from other sites send it; by default not. */
  readonly sameSite?: 'Lax'
}

/** Formats Set-Cookie, hidden from scripts (§5.2.6) and from other sites (SameSite, RFC 6265bis). */
export function formatSetCookie({ name, value, maxAge, secure, sameSite }: SetCookie): string {
  const site = `SameSite=${sameSite ?? 'Strict'}`
  const parts = [`${name}=${value}`, 'Path=/', `Max-Age=${maxAge}`, 'HttpOnly', site]
  return [...parts, ...(secure ? ['Secure'] : [])].join('; ')
}
