/** Preferences (RFC 7240 §2): what a client would like, and a server may disregard. */

import { splitList } from './list-field.ts'
import { readWord } from './quoted-string.ts'
import { endOfToken } from './token.ts'
import { skipWhitespace } from './whitespace.ts'

/**
 * Names in lower case to values; a preference without a value has the empty one, which §2 calls
 * equivalent. Of repeated ones the first counts. What is malformed is disregarded.
 */
export function parsePrefer(fieldValue: string): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>()
  for (const element of splitList(fieldValue)) {
    const end = endOfToken(element, 0)
    const value = readPreferenceValue(element, end)
    const name = element.slice(0, end).toLowerCase()
    if (end === 0 || value === undefined || preferences.has(name)) continue
    preferences.set(name, value)
  }
  return preferences
}

/** What follows a semicolon are parameters, which none of the preferences we know has. */
function readPreferenceValue(element: string, nameEnd: number): string | undefined {
  const position = skipWhitespace(element, nameEnd)
  if (isEndOfValue(element, position)) return ''
  if (element[position] !== '=') return undefined
  const word = readWord(element, skipWhitespace(element, position + 1))
  if (word === undefined || !isEndOfValue(element, skipWhitespace(element, word.end)))
    return undefined
  return word.value
}

function isEndOfValue(element: string, position: number): boolean {
  return position === element.length || element[position] === ';'
}
