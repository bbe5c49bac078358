/** The Prefer field (RFC 7240 §2). */

import { endOfToken, readWord, skipWhitespace, splitList } from './field-value.ts'

/**
 * Parses preferences to a map from lower-case names to values. No value equals the empty value, the
 * first of repeated names counts, and malformed preferences are ignored (§2).
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

/** Parameters after a semicolon are ignored: no supported preference has any. */
function readPreferenceValue(element: string, nameEnd: number): string | undefined {
  const position = skipWhitespace(element, nameEnd)
  if (isEndOfValue(element, position)) return ''
  if (element[position] !== '=') return undefined
  const word = readWord(element, skipWhitespace(element, position + 1))
  if (word === undefined || !isEndOfValue(element, skipWhitespace(element, word.end))) return undefined
  return word.value
}

function isEndOfValue(element: string, position: number): boolean {
  return position === element.length || element[position] === ';'
}
