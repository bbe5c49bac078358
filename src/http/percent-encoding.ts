/** Percent-encoding (RFC 3986 §2.1) of UTF-8 text. */

/** Decodes the text; undefined if an escape is malformed or the octets are not valid UTF-8. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Encodes all characters except the unreserved ones, `!'()*`, and those whose escapes `unescaped`
 * matches, with upper-case hex digits (§6.2.2.1). A lone surrogate becomes U+FFFD.
 */
export function encodePercent(text: string, unescaped: RegExp): string {
  if (unreserved.test(text)) return text
  return encodeURIComponent(text.toWellFormed()).replace(unescaped, decodeURIComponent)
}

const unreserved = /^[A-Za-z0-9\-._~]*$/
