/** The target of a request: the server, a document, a collection or an item, with its normalised path. */

import type { Principal } from '../access/principal.ts'
import type { JsonSchema, JsonValue, ResourceModel } from '../definition/model.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { formatQueryString, parseQueryString } from '../http/query-string.ts'
import type { Representation } from '../representations/representation.ts'
import { memoizeLast } from '../tools/memoize.ts'
import type { Hypermedia } from '../view/hypermedia.ts'
import type { ServiceContext } from './service-context.ts'

export type Target = AsteriskTarget | DocumentTarget | CollectionTarget | ItemTarget

export interface AsteriskTarget extends TargetPath {
  readonly kind: 'asterisk'
}

/** One of the service's own resources that is not a collection. */
export interface DocumentTarget extends TargetPath {
  readonly kind: 'document'
  readonly document: Document
  /** The rest of the path, such as the name of a problem type. */
  readonly parameter: string | undefined
}

export interface CollectionTarget extends TargetPath {
  readonly kind: 'collection'
  readonly resource: ResourceModel
  /** Whether what is asked may depend on other resources than this one. */
  readonly readsOtherResources: boolean
}

export interface ItemTarget extends TargetPath {
  readonly kind: 'item'
  readonly resource: ResourceModel
  readonly id: string
  readonly readsOtherResources: boolean
}

export interface TargetPath {
  /** The path in normal form, and the query as it was sent. */
  readonly path: string
  readonly query: string | undefined
  /** The path with its variable part named, for logs and metrics. */
  readonly route: string
}

/** In octets. */
export const maxTargetLength = 8192

/** The target whatever the format: path and query without `format`. */
export function uriWithoutFormat({ path, query }: Target): string {
  const kept = query === undefined ? '' : withoutFormat(query)
  return kept === '' ? path : `${path}?${kept}`
}

export const withoutFormat = memoizeLast((query) => {
  const parameters = parseQueryString(query) ?? []
  return formatQueryString(parameters.filter(([name]) => name !== 'format'))
})

export interface Document {
  readonly route: string
  /** What it is, in a word; formats that name their root name it so. */
  readonly name?: string
  /** What it is, in a few words for its description. */
  readonly summary?: string
  /** Of what it shows as JSON; undefined: anything. */
  readonly schema?: JsonSchema
  /** Of the variable part of its route, if any; undefined: any text. */
  readonly parameter?: JsonSchema
  /** Whether what it shows differs from caller to caller. */
  readonly personal: boolean
  /** Said to caches; `no-cache` where it does not say, so that it is stored and revalidated. */
  readonly cache?: 'no-store'
  /** Who may see it; everyone, where it does not say. */
  readonly audience?: 'admin'
  /** Where it comes in other formats than those that show any document: these, best first. */
  readonly formats?: readonly Representation[]
  /** What is offered besides GET, HEAD and OPTIONS. */
  readonly methods?: readonly string[]
  /** The parameters that its query may have besides `format`. */
  readonly parameters?: readonly string[]
  /** Answers the methods it offers besides, or all where it is no representation of anything. */
  respond?(visit: DocumentRequest): Promise<HttpResponse | undefined>
  /** JSON, or octets that are sent as they are. `origin` is the one that the client asked, for what must be absolute. */
  show(
    service: ServiceContext,
    caller: Principal,
    parameter: string | undefined,
    origin: string,
  ): Promise<JsonValue | Uint8Array>
  /** Where it leads; undefined: nowhere. */
  hypermedia?(
    service: ServiceContext,
    caller: Principal,
    parameter: string | undefined,
  ): Promise<Hypermedia> | Hypermedia
}

/** Documents by route, the variable part of which is `{}`. */
export type DocumentTable = ReadonlyMap<string, Document>

/** A request that a document answers by itself, whoever asks. */
export interface DocumentRequest {
  readonly service: ServiceContext
  readonly request: HttpRequest
  readonly target: DocumentTarget
}
