/** The formats that a target offers: their URIs, and the format of problems. */

import type { Method, RequestContext } from '../context/request-context.ts'
import { type Target, uriWithoutFormat } from '../context/target.ts'
import { formatLinks, formatLinksWithPrefix, type Link } from '../http/link.ts'
import { negotiateMediaType } from '../http/negotiation.ts'
import { parseQueryString } from '../http/query-string.ts'
import { formats, formatsFor } from '../representations/formats.ts'
import { html } from '../representations/html/html.ts'
import { problem, problemXml } from '../representations/problem.ts'
import type { Representation } from '../representations/representation.ts'
import { memoizeByObject } from '../tools/memoize.ts'

/** The other formats of what is shown, each with a URI of its own, as Link has them. */
export function formatAlternates(context: RequestContext, uri: string): string {
  const { linkEnds: unasked, linkEndsAfterQuery: asked } = alternativesOf(context)
  return formatLinksWithPrefix(uri, uri.includes('?') ? asked : unasked)
}

export function otherFormats(context: RequestContext): readonly Representation[] {
  return alternativesOf(context).formats
}

export function alternativesOf({ target, method, format }: RequestContext): OtherFormats {
  return offeredFormats(target, method).othersThan(format)
}

export function alternateLinks(others: readonly Representation[], uri: string): readonly Link[] {
  return others.map(({ name, mediaType }) => ({
    target: uriInFormat(uri, name),
    rel: 'alternate',
    type: mediaType,
  }))
}

/** §8.7: where a GET was answered with one of several formats, the URI of that one. */
export function contentLocation({ target, method, format }: RequestContext): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (namedFormat(target) !== undefined) return undefined
  const uri = uriInFormat(uriWithoutFormat(target), format.name)
  return isWithinLinkLimit({ target: uri, rel: 'alternate' }) ? uri : undefined
}

export function uriInFormat(uri: string, name: string): string {
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
export const problemFormats: ReadonlyMap<string, Representation> = new Map([
  ['xml', problemXml],
  ['html', html],
])

/** Who asks for a format gets problems in the same syntax. */
export const problemOffers: readonly string[] = [
  problem.mediaType,
  problemXml.mediaType,
  ...formats.map(({ mediaType }) => mediaType),
]

export interface OfferedFormats {
  readonly formats: readonly Representation[]
  readonly mediaTypes: readonly string[]
  readonly byMediaType: ReadonlyMap<string, Representation>
  /** What else there is besides one of them. */
  othersThan(format: Representation): OtherFormats
}

export interface OtherFormats {
  readonly formats: readonly Representation[]
  /** How links to them end: of a URI without a query, and of one with. */
  readonly linkEnds: readonly string[]
  readonly linkEndsAfterQuery: readonly string[]
}

export type Shows = 'document' | 'collection' | 'item'

export const formatsByView: Readonly<Record<Shows, OfferedFormats>> = {
  document: offersOf('document'),
  collection: offersOf('collection'),
  item: offersOf('item'),
}

export function offersOf(kind: Shows): OfferedFormats {
  return createOfferedFormats(formatsFor(kind))
}

export function createOfferedFormats(formats: readonly Representation[]): OfferedFormats {
  return {
    formats,
    mediaTypes: formats.map(({ mediaType }) => mediaType),
    byMediaType: new Map(formats.map((format) => [format.mediaType, format])),
    othersThan: memoizeByObject((format) =>
      createOtherFormats(formats.filter((one) => one !== format)),
    ),
  }
}

export function createOtherFormats(formats: readonly Representation[]): OtherFormats {
  const endsAfter = (uri: string) =>
    alternateLinks(formats, uri).map((link) => formatLinks([link]).slice(1 + uri.length))
  return { formats, linkEnds: endsAfter(''), linkEndsAfterQuery: endsAfter('?') }
}

export const formatsOfDocument = memoizeByObject(createOfferedFormats)

/** A POST to a collection shows the item it makes. */
export function offeredFormats(target: Target, method: Method): OfferedFormats {
  const { kind } = target
  if (kind === 'document' && target.document.formats)
    return formatsOfDocument(target.document.formats)
  if (kind === 'item' || (kind === 'collection' && method === 'POST')) return formatsByView.item
  return kind === 'collection' ? formatsByView.collection : formatsByView.document
}

export function namedFormat({ query }: Target): string | undefined {
  if (query === undefined) return undefined
  // RFC 3986 §6.2.2.2: `%66ormat` is the same name, so only decoded names are compared.
  return parseQueryString(query)?.find(([name]) => name === 'format')?.[1]
}

/** In octets. Beyond it a client has to make the URI itself, from the one it asked. */
const longestRepeated = 1024

/** By relation: what a client cannot make itself, a cursor being in it. */
const longestByRelation: ReadonlyMap<string, number> = new Map([
  ['next', Number.POSITIVE_INFINITY],
  ['prev', 4096],
])

/** Whether a link goes into the header section; bodies have all links. */
export function isWithinLinkLimit({ target, rel }: Pick<Link, 'target' | 'rel'>): boolean {
  return target.length <= longestRepeated || target.length <= (longestByRelation.get(rel) ?? 0)
}
