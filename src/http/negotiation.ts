/**
 * Proactive negotiation (RFC 9110 §12.1): chooses the offered media type or content coding that the
 * client prefers. Malformed members of Accept and Accept-Encoding are ignored.
 */

import { memoizeByObject, memoizeByText } from '../tools/memoize.ts'
import { endOfToken, parseFieldParameters, splitList } from './field-value.ts'
import { type MediaType, parseMediaType } from './media-type.ts'

/**
 * Returns the offer with the highest weight by Accept (§12.5.1), the first of equals; undefined if
 * none is acceptable. Without Accept, or with an empty one, every offer is acceptable.
 */
export function negotiateMediaType(
  accept: string | undefined,
  offers: readonly string[],
): string | undefined {
  if (accept === undefined || accept === '' || accept === '*/*') return offers[0]
  return negotiateAmong(offers)(accept)
}

/** Memoized: lists of offers live as long as the service, and clients send few different values. */
const negotiateAmong = memoizeByObject((offers: readonly string[]) => {
  const types = offers.map(parseMediaType)
  return memoizeByText((accept) => {
    const ranges = parseAccept(accept)
    if (ranges.length === 0) return offers[0]
    return findHighestWeight(offers, (_, index) => weightOfType(types[index], ranges))
  })
})

/** The media types that Accept names without a wildcard, except those with the weight 0. */
export const acceptedTypesByName = memoizeByText(
  (accept): ReadonlySet<string> =>
    new Set(
      parseAccept(accept)
        .filter(({ weight }) => weight > 0)
        .map(({ mediaType }) => mediaType.essence),
    ),
)

/**
 * Returns the offered coding with the highest weight by Accept-Encoding (§12.5.3), the first of
 * equals; `identity` if no offer is acceptable, identity weighs more, or the field is absent;
 * undefined if identity is excluded too.
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
  // §12.5.3: identity is acceptable unless excluded by `identity;q=0`, or by `*;q=0` alone.
  return identity === 0 ? undefined : 'identity'
}

/** The first offer with the highest weight; a weight of 0 means "not acceptable" (§12.4.2). */
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

/** The weight of the most specific matching range (§12.5.1); 0 if none matches. */
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
 * The precedence of a range for an offer (§12.5.1): 0 if it does not match, then by type, subtype
 * and parameters. A parameter that the offer does not have, as in `application/json;version=2`, is
 * ignored: the range then has lower precedence, and its `q=0` excludes nothing.
 */
function matchSpecificity({ mediaType, weight }: MediaRange, offer: MediaType): number {
  const base = essenceSpecificity(mediaType, offer)
  if (base === 0) return 0
  let specificity = base
  for (const [name, value] of mediaType.parameters) {
    // §12.4.2: `q` is the weight in any position.
    if (name === 'q') continue
    const isKnown = name === 'charset' || offer.parameters.has(name)
    if (isKnown && !hasParameter(offer, name, value)) return 0
    if (!isKnown && weight === 0) return 0
    specificity += isKnown ? 1 : -1
  }
  return specificity
}

/** Larger than any number of parameters, so that they never lift a wildcard above an exact type. */
const wideStep = 2 ** 20

function essenceSpecificity(range: MediaType, offer: MediaType): number {
  if (range.essence === offer.essence) return 3 * wideStep
  if (range.subtype !== '*') return 0
  if (range.type === offer.type) return 2 * wideStep
  return range.type === '*' ? wideStep : 0
}

/** An offer without a charset is UTF-8, so `charset=utf-8` matches it. */
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

/** §8.4.1: recipients should treat these as equivalent. */
const codingAliases: ReadonlyMap<string, string> = new Map([
  ['x-gzip', 'gzip'],
  ['x-compress', 'compress'],
])

/** §12.5.3: a coding has no parameter except its weight. */
function parseCodingWeight(element: string, end: number): number | undefined {
  const parameters = parseFieldParameters(element, end)
  if (parameters === undefined) return undefined
  if (parameters.size === 0) return fullWeight
  const q = parameters.get('q')
  return q === undefined || parameters.size > 1 ? undefined : parseWeight(q)
}

/** Parses a qvalue (§12.4.2) in thousandths, so that weights compare exactly; undefined if invalid. */
export function parseWeight(text: string): number | undefined {
  if (!qvalue.test(text)) return undefined
  return Math.round(Number(text) * fullWeight)
}

/** The weight 1, which is the default (§12.4.2). */
export const fullWeight = 1000

const qvalue = /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/
