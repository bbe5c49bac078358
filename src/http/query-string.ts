/** Query strings as names and values, in application/x-www-form-urlencoded. */

import { memoizeByText, memoizeLast } from '../tools/memoize.ts'
import { decodePercent, encodePercent } from './percent-encoding.ts'

export type QueryPair = readonly [name: string, value: string]

/**
 * Parses the pairs in order, repeated names included; undefined if an escape is malformed or not
 * UTF-8. A pair without `=` has the empty value, an empty pair is skipped, `+` is a space.
 */
export const parseQueryString = memoizeLast((raw): readonly QueryPair[] | undefined => {
  const pairs: QueryPair[] = []
  for (const part of raw.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    const value = equals < 0 ? '' : decode(part.slice(equals + 1))
    if (name === undefined || value === undefined) return undefined
    pairs.push([name, value])
  }
  return pairs
})

/** Formats the pairs, with brackets as %5B and %5D (RFC 3986 §3.4) and spaces as %20. */
export function formatQueryString(pairs: Iterable<QueryPair>): string {
  let text = ''
  for (const [name, value] of pairs) {
    const pair = `${encodeName(name)}=${encode(value)}`
    text = text === '' ? pair : `${text}&${pair}`
  }
  return text
}

function decode(text: string): string | undefined {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text)
}

function encode(text: string): string {
  return encodePercent(text, queryCharacters)
}

/** Memoized: names are few, those of fields with and without an operator. */
const encodeName = memoizeByText(encode)

/** The escapes of `, / : @`, which have no special meaning in a query. */
const queryCharacters = /%(?:2C|2F|3A|40)/g
