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

/** Text beyond ASCII as a parameter of a field value (RFC 8187 §3.2), such as `UTF-8''na%C3%AFve`. */
export function formatExtendedValue(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `UTF-8''${encoded}`
}
