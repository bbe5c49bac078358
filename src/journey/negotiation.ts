/** How the answer is to be shown: Accept, or `?format=` where the client names one outright. */

import { formatLinks, formatLinksFrom, type Link } from '../http/link.ts'
import type { HttpRequest } from '../http/message.ts'
import { negotiateMediaType } from '../http/negotiate.ts'
import { parseQueryString } from '../http/query-string.ts'
import { oncePer } from '../once.ts'
import { refuse } from '../refusal.ts'
import { formats, formatsFor } from '../representations/formats.ts'
import { html } from '../representations/html/html.ts'
import { problem, problemXml } from '../representations/problem.ts'
import type { Representation } from '../representations/representation.ts'
import type { Method } from './admission.ts'
import type { Errand } from './errand.ts'
import { isWithinLinkLimit } from './link-limit.ts'
import { plainUri } from './listing.ts'
import type { Target } from './target.ts'

/** The format; refuses 406 where none on offer is acceptable, before anything has an effect. */
export function negotiate(target: Target, method: Method, request: HttpRequest): Representation {
  const offers = offersFor(target, method)
  const named = namedFormat(target)
  const format =
    named === undefined
      ? offers.byMediaType.get(negotiateMediaType(request.fields.accept, offers.mediaTypes) ?? '')
      : offers.formats.find(({ name }) => name === named)
  if (format) return format
  // DELETE shows nothing, so nothing can be unacceptable about it.
  const first = offers.formats[0]
  if (method === 'DELETE' && first) return first
  const alternates = alternatesAmong(offers.formats, plainUri(target)).filter(isWithinLinkLimit)
  throw refuse('not-acceptable', {
    detail: `On offer: ${offers.mediaTypes.join(', ')}.`,
    members: { offered: offers.mediaTypes },
    fields: alternates.length === 0 ? {} : { Link: formatLinks(alternates) },
  })
}

/** The other formats of what is shown, each with a URI of its own, as Link has them. */
export function formatAlternates(errand: Errand, uri: string): string {
  const { unasked, asked } = alternativesTo(errand)
  return formatLinksFrom(uri, uri.includes('?') ? asked : unasked)
}

export function otherFormats(errand: Errand): readonly Representation[] {
  return alternativesTo(errand).formats
}

function alternativesTo({ target, method, format }: Errand): Alternatives {
  return offersFor(target, method).besides(format)
}

function alternatesAmong(others: readonly Representation[], uri: string): readonly Link[] {
  return others.map(({ name, mediaType }) => ({
    target: inFormat(uri, name),
    rel: 'alternate',
    type: mediaType,
  }))
}

/** §8.7: where a GET was answered with one of several formats, the URI of that one. */
export function contentLocation({ target, method, format }: Errand): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (namedFormat(target) !== undefined) return undefined
  const uri = inFormat(plainUri(target), format.name)
  return isWithinLinkLimit({ target: uri, rel: 'alternate' }) ? uri : undefined
}

export function inFormat(uri: string, name: string): string {
  return `${uri}${uri.includes('?') ? '&' : '?'}format=${name}`
}

/** Never refuses: whoever understands neither is told in JSON. */
export function negotiateProblem(
  target: Target | undefined,
  accept: string | undefined,
): Representation {
  const named = target && namedFormat(target)
  if (named !== undefined) return problemFormats.get(named) ?? problem
  const liked = negotiateMediaType(accept, problemOffers)
  if (liked === html.mediaType) return html
  return liked?.endsWith('xml') ? problemXml : problem
}

/** By the name of the format that was asked for. */
const problemFormats: ReadonlyMap<string, Representation> = new Map([
  ['xml', problemXml],
  ['html', html],
])

/** Who asks for a format gets problems in the same syntax. */
const problemOffers: readonly string[] = [
  problem.mediaType,
  problemXml.mediaType,
  ...formats.map(({ mediaType }) => mediaType),
]

interface Offers {
  readonly formats: readonly Representation[]
  readonly mediaTypes: readonly string[]
  readonly byMediaType: ReadonlyMap<string, Representation>
  /** What else there is besides one of them. */
  besides(format: Representation): Alternatives
}

interface Alternatives {
  readonly formats: readonly Representation[]
  /** How links to them end: of a URI without a query, and of one with. */
  readonly unasked: readonly string[]
  readonly asked: readonly string[]
}

type Shows = 'document' | 'collection' | 'item'

const offersByView: Readonly<Record<Shows, Offers>> = {
  document: offersOf('document'),
  collection: offersOf('collection'),
  item: offersOf('item'),
}

function offersOf(kind: Shows): Offers {
  return offersIn(formatsFor(kind))
}

function offersIn(formats: readonly Representation[]): Offers {
  return {
    formats,
    mediaTypes: formats.map(({ mediaType }) => mediaType),
    byMediaType: new Map(formats.map((format) => [format.mediaType, format])),
    besides: oncePer((format) => alternativesAmong(formats.filter((one) => one !== format))),
  }
}

function alternativesAmong(formats: readonly Representation[]): Alternatives {
  const endsAfter = (uri: string) =>
    alternatesAmong(formats, uri).map((link) => formatLinks([link]).slice(1 + uri.length))
  return { formats, unasked: endsAfter(''), asked: endsAfter('?') }
}

const offersOfDocument = oncePer(offersIn)

/** A POST to a collection shows the item it makes. */
function offersFor(target: Target, method: Method): Offers {
  const { kind } = target
  if (kind === 'document' && target.document.formats)
    return offersOfDocument(target.document.formats)
  if (kind === 'item' || (kind === 'collection' && method === 'POST')) return offersByView.item
  return kind === 'collection' ? offersByView.collection : offersByView.document
}

function namedFormat({ query }: Target): string | undefined {
  if (query === undefined) return undefined
  // RFC 3986 §6.2.2.2: `%66ormat` is the same name, so only decoded names are compared.
  return parseQueryString(query)?.find(([name]) => name === 'format')?.[1]
}
