/**
 * Proactive negotiation (RFC 9110 §12): of what the server offers, the media type or the content
 * coding that the client likes best. Members of a field that are malformed count as not sent.
 */

import { memoizeByObject, memoizeByText } from '../tools/memoize.ts'
import { parseFieldParameters } from './field-parameters.ts'
import { splitList } from './list-field.ts'
import { type MediaType, parseMediaType } from './media-type.ts'
import { endOfToken } from './token.ts'

/**
 * The offer with the highest weight by Accept (§12.5.1), the earlier of equals; undefined where
 * none is acceptable. Without Accept, or with an empty one, everything is acceptable.
 */
export function negotiateMediaType(
  accept: string | undefined,
  offers: readonly string[],
): string | undefined {
  if (accept === undefined || accept === '' || accept === '*/*') return offers[0]
  return negotiateAmong(offers)(accept)
}

/** Lists of offers live as long as the service, and most clients send the same few fields. */
const negotiateAmong = memoizeByObject((offers: readonly string[]) => {
  const types = offers.map(parseMediaType)
  return memoizeByText((accept) => {
    const ranges = parseAccept(accept)
    if (ranges.length === 0) return offers[0]
    return findHighestWeight(offers, (_, index) => weightOfType(types[index], ranges))
  })
})

/**
 * The offered coding with the highest weight by Accept-Encoding (§12.5.3), the earlier of equals;
 * `identity` where no offer is acceptable or identity has the strictly higher weight; undefined
 * where identity is excluded too. A client that says nothing is sent no coding: it might not know any.
 */
export function negotiateCoding(
  acceptEncoding: string | undefined,
  offers: readonly string[],
): string | undefined {
  if (acceptEncoding === undefined || acceptEncoding === '') return 'identity'
  const weights = parseAcceptEncoding(acceptEncoding)
  const any = weights.get('*')
  const weightOf = (coding: string) => weights.get(coding) ?? any ?? 0
  const coding = findHighestWeight(offers, weightOf)
  const identity = weights.get('identity') ?? any
  if (coding !== undefined && weightOf(coding) >= (identity ?? 0)) return coding
  // Identity is acceptable unless `identity;q=0`, or `*;q=0` with nothing more specific.
  return identity === 0 ? undefined : 'identity'
}

/** The first of those with the highest weight; a weight of 0 excludes (§12.4.2). */
function findHighestWeight(
  offers: readonly string[],
  weightOf: (offer: string, index: number) => number,
): string | undefined {
  let chosen: string | undefined
  let highest = 0
  for (const [index, offer] of offers.entries()) {
    const weight = weightOf(offer, index)
    if (weight <= highest) continue
    highest = weight
    chosen = offer
  }
  return chosen
}

interface MediaRange {
  readonly mediaType: MediaType
  readonly weight: number
}

function parseAccept(accept: string): readonly MediaRange[] {
  const ranges: MediaRange[] = []
  for (const element of splitList(accept)) {
    const mediaType = parseMediaType(element)
    if (mediaType === undefined) continue
    const q = mediaType.parameters.get('q')
    const weight = q === undefined ? fullWeight : parseWeight(q)
    if (weight !== undefined) ranges.push({ mediaType, weight })
  }
  return ranges
}

/** The weight that the most specific of the matching ranges gives; 0 where none matches. */
function weightOfType(offer: MediaType | undefined, ranges: readonly MediaRange[]): number {
  if (offer === undefined) return 0
  let weight = 0
  let highest = 0
  for (const range of ranges) {
    const specificity = matchSpecificity(range, offer)
    if (specificity < highest || specificity === 0) continue
    weight = specificity === highest ? Math.max(weight, range.weight) : range.weight
    highest = specificity
  }
  return weight
}

/**
 * How closely the range names the offer: 0 not at all, then by type, subtype and parameters. A
 * parameter that the offer does not have is ignored, as `version` in `application/json;version=2`:
 * the range then counts for less than one without it, and excludes nothing.
 */
function matchSpecificity({ mediaType, weight }: MediaRange, offer: MediaType): number {
  const base = essenceSpecificity(mediaType, offer)
  if (base === 0) return 0
  let specificity = base
  for (const [name, value] of mediaType.parameters) {
    // The weight is one wherever it stands, not only as the last parameter (§12.4.2).
    if (name === 'q') continue
    const isKnown = name === 'charset' || offer.parameters.has(name)
    if (isKnown && !hasParameter(offer, name, value)) return 0
    if (!isKnown && weight === 0) return 0
    specificity += isKnown ? 1 : -1
  }
  return specificity
}

/** Steps wide enough that no number of parameters lifts a wildcard above an exact type. */
const wideStep = 2 ** 20

function essenceSpecificity(range: MediaType, offer: MediaType): number {
  if (range.essence === offer.essence) return 3 * wideStep
  if (range.subtype !== '*') return 0
  if (range.type === offer.type) return 2 * wideStep
  return range.type === '*' ? wideStep : 0
}

/** Whatever has no charset of its own is sent in UTF-8, so asking for that is no restriction. */
function hasParameter(offer: MediaType, name: string, value: string): boolean {
  const offered = offer.parameters.get(name)
  if (name !== 'charset') return offered === value
  return (offered ?? 'utf-8').toLowerCase() === value.toLowerCase()
}

const parseAcceptEncoding = memoizeByText((acceptEncoding): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  for (const element of splitList(acceptEncoding)) {
    const end = endOfToken(element, 0)
    const weight = parseCodingWeight(element, end)
    if (end === 0 || weight === undefined) continue
    const name = element.slice(0, end).toLowerCase()
    const coding = codingAliases.get(name) ?? name
    weights.set(coding, Math.max(weight, weights.get(coding) ?? 0))
  }
  return weights
})

/** §8.4.1: recipients treat these as equivalent. */
const codingAliases: ReadonlyMap<string, string> = new Map([
  ['x-gzip', 'gzip'],
  ['x-compress', 'compress'],
])

/** A coding has no parameter but its weight. */
function parseCodingWeight(element: string, end: number): number | undefined {
  const parameters = parseFieldParameters(element, end)
  if (parameters === undefined) return undefined
  if (parameters.size === 0) return fullWeight
  const q = parameters.get('q')
  return q === undefined || parameters.size > 1 ? undefined : parseWeight(q)
}

/**
 * A qvalue in thousandths, so that weights compare exactly; undefined where the text is none.
 * A choice without a weight has the weight 1, which is `fullWeight`.
 */
export function parseWeight(text: string): number | undefined {
  if (!qvalue.test(text)) return undefined
  return Math.round(Number(text) * fullWeight)
}

export const fullWeight = 1000

const qvalue = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/
