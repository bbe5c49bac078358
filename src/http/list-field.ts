/** Lists in field values (RFC 9110 §5.6.1): elements between commas. */

import { trimWhitespace } from './whitespace.ts'

/**
 * The elements of a list, without surrounding whitespace. A comma within a quoted string does not
 * separate; empty elements are dropped, as §5.6.1.2 asks of recipients.
 */
export function splitList(fieldValue: string): string[] {
  const elements = fieldValue.includes('"') ? splitQuoted(fieldValue) : fieldValue.split(',')
  return elements.map(trimWhitespace).filter((element) => element !== '')
}

/** An unclosed quote takes the rest along; the reader of that element will find it malformed. */
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
