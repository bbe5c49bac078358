/** The formats that a target offers, the URIs of each, and the format of problems. */

import type { InterfaceVersion } from '../../definition/interface-version.ts'
import type { ResultModel } from '../../definition/model.ts'
import { hasRows } from '../../definition/result-rows.ts'
import type { Format } from '../../formats/format.ts'
import { formats, formatsFor, formatsForRows } from '../../formats/formats.ts'
import { html } from '../../formats/html.ts'
import { json } from '../../formats/json.ts'
import { linkset } from '../../formats/linkset.ts'
import { problem, problemXml } from '../../formats/problem.ts'
import { eventStream } from '../../formats/server-sent-events.ts'
import { versionFormats } from '../../formats/version-formats.ts'
import type { Link } from '../../http/link.ts'
import { type Method, safeMethods } from '../../http/method.ts'
import { negotiateMediaType } from '../../http/negotiation.ts'
import { parseQueryString } from '../../http/query-string.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { operationOf } from '../context/operation-of.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'

/** The offered formats besides the negotiated one. */
export function otherFormats({ target, method, format }: RequestContext): readonly Format[] {
  const { formats } = offeredFormats(target, method)
  return formats.filter(
    ({ mediaType }) => mediaType !== format.mediaType && mediaType !== eventStream.mediaType,
  )
}

/** The links from the URI to these formats. */
export function alternateLinks(others: readonly Format[], uri: string): readonly Link[] {
  return others.map(({ name, mediaType }) => ({
    target: uriInFormat(uri, name),
    rel: 'alternate',
    type: mediaType,
  }))
}

/** The URI with the `format` parameter. */
export function uriInFormat(uri: string, name: string): string {
  return `${uri}${uri.includes('?') ? '&' : '?'}format=${name}`
}

/** The format of a problem. Never refuses: the default is JSON. */
export function negotiateProblem(target: Target | undefined, accept: string | undefined): Format {
  const named = target && namedFormat(target)
  if (named !== undefined) return problemFormats.get(named) ?? problem
  const preferred = negotiateMediaType(accept, problemTypes)
  if (preferred === html.mediaType) return html
  return preferred?.endsWith('xml') ? problemXml : problem
}

/** By the value of the `format` parameter. */
const problemFormats: ReadonlyMap<string, Format> = new Map([
  ['xml', problemXml],
  ['html', html],
])

/** A client that accepts a format gets problems in the same syntax. */
const problemTypes: readonly string[] = [
  problem.mediaType,
  problemXml.mediaType,
  ...formats.map(({ mediaType }) => mediaType),
]

interface OfferedFormats {
  readonly formats: readonly Format[]
  readonly mediaTypes: readonly string[]
  readonly byMediaType: ReadonlyMap<string, Format>
}

const formatsByView = {
  document: createOfferedFormats(formatsFor('document')),
  collection: createOfferedFormats(formatsFor('collection')),
  aggregate: createOfferedFormats(formatsFor('aggregate')),
  item: createOfferedFormats(formatsFor('item')),
  links: createOfferedFormats([linkset]),
  items: createOfferedFormats(formatsFor('collection')),
  rows: createOfferedFormats(formatsForRows),
  // A file has one representation, whatever Accept says.
  file: createOfferedFormats(formatsFor('item')),
}

/** The same with the stream of changes, which safe methods have. */
const formatsOfReads = {
  ...formatsByView,
  collection: createOfferedFormats([...formatsFor('collection'), eventStream]),
  item: createOfferedFormats([...formatsFor('item'), eventStream]),
}

function createOfferedFormats(formats: readonly Format[]): OfferedFormats {
  return {
    formats,
    mediaTypes: formats.map(({ mediaType }) => mediaType),
    byMediaType: new Map(formats.map((format) => [format.mediaType, format])),
  }
}

const formatsOfDocument = memoizeByObject(createOfferedFormats)

/** One format for all types: the code decides which one it returns. */
const octetsOfTypes = memoizeByObject(
  (types: readonly string[]): OfferedFormats => ({
    ...createOfferedFormats([octets]),
    mediaTypes: types,
    byMediaType: new Map(types.map((type) => [type, octets])),
  }),
)

function madeTypesOf(target: Target): readonly string[] {
  const result = resultOf(target)
  return result?.kind === 'file' ? result.types : []
}

function resultOf(target: Target): ResultModel | undefined {
  return target.kind === 'action' ? target.action.result : undefined
}

/** The formats of an older version of the interface. Documents keep theirs. */
export function offeredInVersion(target: Target, method: Method, version: InterfaceVersion): OfferedFormats {
  const { formats, byMediaType } = offeredFormats(target, method)
  const offers = offersInVersion(version)
  const shown = operationOf({ target, method }).offers
  if (shown === 'octets') return offeredFormats(target, method)
  const isOwn = target.kind === 'document' || shown === 'links' || shown === 'document' || shown === 'result'
  if (isOwn) return byMediaType.has(json.mediaType) ? offers.document(formats) : offers.own(formats)
  return offers.items(formats)
}

const offersInVersion = memoizeByObject((version: InterfaceVersion) => {
  const [own, ...others] = versionFormats(version)
  return {
    own: formatsOfDocument,
    document: memoizeByObject((formats: readonly Format[]) => createOfferedFormats([...formats, own])),
    items: memoizeByObject((formats: readonly Format[]) => {
      const streams = formats.filter((format) => format === eventStream)
      return createOfferedFormats([own, ...others, ...streams])
    }),
  }
})

/** The formats of the response. */
export function offeredFormats(target: Target, method: Method): OfferedFormats {
  if (target.kind === 'document' && target.document.formats) return formatsOfDocument(target.document.formats)
  const { offers = 'document' } = operationOf({ target, method })
  if (offers === 'octets') return octetsOfTypes(madeTypesOf(target))
  if (offers === 'result') return formatsByView[hasRows(resultOf(target)) ? 'rows' : 'document']
  return (safeMethods.has(method) ? formatsOfReads : formatsByView)[offers]
}

/** The value of the `format` parameter. */
export function namedFormat({ query }: Target): string | undefined {
  if (query === undefined) return undefined
  // RFC 3986 §6.2.2.2: `%66ormat` is the same name, so only decoded names are compared.
  return parseQueryString(query)?.find(([name]) => name === 'format')?.[1]
}

/** Octets. Longer links are left out of the header section: a client can build them from its own URI. */
const maxLinkLength = 1024

/** Links with a cursor, which a client cannot build. */
const maxLinkLengthByRelation: ReadonlyMap<string, number> = new Map([
  ['next', Number.POSITIVE_INFINITY],
  ['prev', 4096],
])

/** Whether the Link field has the link; the content has all links. */
export function isWithinLinkLimit({ target, rel }: Pick<Link, 'target' | 'rel'>): boolean {
  return target.length <= (maxLinkLengthByRelation.get(rel) ?? maxLinkLength)
}

/** The format of files that code of the definition makes. The operation declares their media types. */
const octets: Format = Object.freeze({
  name: 'octets',
  mediaType: 'application/octet-stream',
  viewKinds: new Set(['file'] as const),
})
