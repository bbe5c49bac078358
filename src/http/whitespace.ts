/** Optional whitespace (OWS) in field values (RFC 9110 §5.6.3): SP and HTAB. */

/** The first position at or after `start` that is not whitespace. */
export function skipWhitespace(text: string, start: number): number {
  let position = start
  while (isWhitespace(text.charCodeAt(position))) position++
  return position
}

/** Trims OWS only. String.trim would also remove U+00A0, which is obs-text in a field value. */
export function trimWhitespace(text: string): string {
  const start = skipWhitespace(text, 0)
  let end = text.length
  while (end > start && isWhitespace(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09
}
