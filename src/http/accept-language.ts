/** Chooses the language of a response by Accept-Language (RFC 9110 §12.5.4) with the lookup of RFC 4647 §3.4. */

import { memoizeByText } from '../tools/memoize.ts'
import { parseFieldParameters, splitList } from './field-value.ts'
import { fullWeight, parseWeight } from './negotiation.ts'

/**
 * Returns the first offered language that the client prefers, or the first offer when it accepts none
 * or any. Malformed members are ignored.
 */
export function negotiateLanguage(
  acceptLanguage: string | undefined,
  offers: readonly string[],
): string | undefined {
  if (acceptLanguage === undefined) return offers[0]
  for (const range of parseAcceptLanguage(acceptLanguage)) {
    if (range === '*') return offers[0]
    const found = lookUp(range, offers)
    if (found !== undefined) return found
  }
  return offers[0]
}

/** RFC 4647 §3.4: the range is shortened from its end until a language has this tag. */
function lookUp(range: string, offers: readonly string[]): string | undefined {
  let subtags = range.split('-')
  while (subtags.length > 0) {
    const tag = subtags.join('-')
    const found = offers.find((offer) => offer.toLowerCase() === tag)
    if (found !== undefined) return found
    // A single letter or digit introduces the subtags after it, so both are removed.
    const isIntroduced = (subtags.at(-2)?.length ?? 0) === 1
    subtags = subtags.slice(0, isIntroduced ? -2 : -1)
  }
  return undefined
}

/** The ranges in lower case, those with the highest weight first; without those of the weight 0. */
const parseAcceptLanguage = memoizeByText((acceptLanguage): readonly string[] => {
  const ranges = splitList(acceptLanguage).flatMap((element) => {
    const range = /^(?:\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?![a-z0-9*-])/i.exec(element)?.[0]
    if (range === undefined) return []
    const parameters = parseFieldParameters(element, range.length)
    const q = parameters?.get('q')
    const weight = q === undefined ? fullWeight : parseWeight(q)
    if (parameters === undefined || weight === undefined || weight === 0) return []
    return [{ range: range.toLowerCase(), weight }]
  })
  return ranges.toSorted((a, b) => b.weight - a.weight).map(({ range }) => range)
})
