/** Percent-encoding (RFC 3986 §2.1) of UTF-8 text. */

/** Undefined where an escape is malformed, or the octets are not UTF-8 (overlong forms are not). */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Encodes all but the unreserved characters, `!'()*`, and those whose escapes `kept` matches, with
 * hex digits in upper case (§6.2.2.1). A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD.
 */
export function encodePercent(text: string, unescaped: RegExp): string {
  if (unreserved.test(text)) return text
  return encodeURIComponent(text.toWellFormed()).replace(unescaped, decodeURIComponent)
}

const unreserved = /^[A-Za-z0-9\-._~]*$/
