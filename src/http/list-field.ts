/** Comma-separated lists in field values (RFC 9110 §5.6.1). */

import { trimWhitespace } from './whitespace.ts'

/**
 * Splits a list into its elements, without surrounding whitespace. A comma in a quoted-string does
 * not separate; empty elements are ignored (§5.6.1.2).
 */
export function splitList(fieldValue: string): string[] {
  const elements = fieldValue.includes('"') ? splitQuoted(fieldValue) : fieldValue.split(',')
  return elements.map(trimWhitespace).filter((element) => element !== '')
}

/** An unclosed quote extends to the end; the parser of that element refuses it. */
function splitQuoted(fieldValue: string): string[] {
  const elements: string[] = []
  let start = 0
  let quoted = false
  for (let position = 0; position < fieldValue.length; position++) {
    const character = fieldValue[position]
    if (character === '"') quoted = !quoted
    else if (character === '\\' && quoted) position++
    else if (character === ',' && !quoted) {
      elements.push(fieldValue.slice(start, position))
      start = position + 1
    }
  }
  elements.push(fieldValue.slice(start))
  return elements
}
