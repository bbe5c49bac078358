/** Turns results and refusals into HTTP responses: format, header fields and content coding. */

import { type AuthenticationSchemes, formatChallenges } from '../../access/authenticate.ts'
import type { Format } from '../../formats/format.ts'
import { problem } from '../../formats/problem.ts'
import { formatForReader } from '../../html/html.ts'
import { formatLink, type Link } from '../../http/link.ts'
import type { Body, HttpResponse, ResponseFields } from '../../http/message.ts'
import { safeMethods } from '../../http/method.ts'
import { isStreamed } from '../../http/streamed-body.ts'
import { problemTypes, type Refusal } from '../../refusal.ts'
import { expandRelation, relationName } from '../../views/link-relation.ts'
import { problemUri, uriInVersion } from '../../views/uri.ts'
import type { EventsView, ProblemView, RefusalPageView, StreamView, View } from '../../views/view.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsBaseUri, type ServiceContext } from '../context/service-context.ts'
import type { Target } from '../context/target.ts'
import { deprecationFields, linksInVersion } from '../versions/version-links.ts'
import { cacheControlOf, cacheControlOfError, varyOf } from './cacheability.ts'
import { encodeBody, tagWithCoding } from './content-coding.ts'
import { contentLocation, formatAlternates, isWithinLinkLimit, negotiateProblem } from './offered-formats.ts'

/** The HTTP response: rendered in the negotiated format, then encoded for this request. */
export function finishResponse(context: RequestContext, response: ViewResponse): Promise<HttpResponse> {
  return encodeResponse(context, response.rendered ?? renderResponse(context, response))
}

/** A response in its format, before content coding. It is what an idempotency key stores. */
export interface RenderedResponse {
  readonly status: number
  readonly fields: ResponseFields
  /** Undefined when the response has no content. */
  readonly body: Body | undefined
  /** Whether the body is not sent (Prefer: return=minimal); it still determines the entity tag. */
  readonly minimal: boolean
}

/** The response in the negotiated format, with the header fields that do not depend on the coding. */
export function renderResponse(context: RequestContext, response: ViewResponse): RenderedResponse {
  const { format, preferences, version } = context
  const { view } = response
  const minimal = view !== undefined && preferences.get('return') === 'minimal'
  const fields: ResponseFields = { ...response.fields }
  if (minimal) delete fields['Content-Location']
  else {
    const sent = fields['Content-Location']
    if (version && typeof sent === 'string') fields['Content-Location'] = uriInVersion(sent, version)
    const location = contentLocation(context)
    if (location !== undefined) fields['Content-Location'] ??= location
    if (view) addType(fields, format)
  }
  const applied = preferences.size === 0 ? undefined : formatApplied(context, response)
  if (applied !== undefined) fields['Preference-Applied'] = applied
  const status = minimal && response.status === 200 ? 204 : response.status
  const links = status === 204 ? '' : formatHeaderLinks(context, response)
  if (links !== '') fields.Link = links
  return { status, fields, body: view && (response.text ?? bodyOf(view, format)), minimal }
}

/** The value of Preference-Applied (RFC 7240 §3); undefined when no preference was applied. */
function formatApplied(
  { preferences, target, method }: RequestContext,
  { view }: ViewResponse,
): string | undefined {
  // Only collections have Prefer in Vary; other cached responses must not depend on it.
  if (target.kind !== 'collection' && safeMethods.has(method)) return undefined
  const applied = [...preferences].filter(
    ([name, value]) => name !== 'return' || value === 'minimal' || view !== undefined,
  )
  if (applied.length === 0) return undefined
  return applied.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join(', ')
}

/** Adds Content-Type, and the security fields of an HTML page. */
function addType(fields: ResponseFields, format: Format): void {
  fields['Content-Type'] = format.contentType ?? format.mediaType
  if (format.language !== undefined) fields['Content-Language'] = format.language
  if (format.isHtml) Object.assign(fields, htmlFields)
}

function bodyOf(view: View | StreamView | EventsView, format: Format): Body {
  if (view.kind === 'events') return view.body
  if (view.kind !== 'stream') return format.write(view)
  if (format.stream) return format.stream(view)
  throw new Error(`${format.mediaType} cannot be streamed`)
}

/** The Link field. The items of a list are linked in the content only; templates are not URI references (RFC 8288 §3.1). */
function formatHeaderLinks(context: RequestContext, { view, links }: ViewResponse): string {
  const { version } = context
  let text = ''
  let self: string | undefined
  for (const link of version ? linksInVersion(context, version, links) : links) {
    if (link.rel === 'item' || link.templated !== undefined) continue
    if (!isWithinLinkLimit(link)) continue
    if (link.rel === 'self') self ??= link.target
    const formatted = formatLink(withAbsoluteRelation(context, link))
    text = text === '' ? formatted : `${text}, ${formatted}`
  }
  const others = view && self !== undefined && !version ? formatAlternates(context, self) : ''
  return others === '' ? text : `${text}, ${others}`
}

/** RFC 8288 §2.1.2: an extension relation is an absolute URI. */
function withAbsoluteRelation({ service, origin }: RequestContext, link: Link): Link {
  if (relationName(link.rel) === undefined) return link
  return { ...link, rel: expandRelation(link.rel, relationsBaseUri(service, origin)) }
}

/** Applies the content coding of this request and adds Cache-Control and Vary. Changes the rendered fields in place. */
export async function encodeResponse(
  context: RequestContext,
  rendered: RenderedResponse,
): Promise<HttpResponse> {
  const { status, fields, body, minimal } = rendered
  const { coding, target, version } = context
  if (version) Object.assign(fields, deprecationFields(version))
  if (body !== undefined && !isStreamed(body) && typeof fields.ETag === 'string') {
    fields.ETag = tagWithCoding(fields.ETag, coding)
  }
  fields['Cache-Control'] ??= cacheControlOf(context)
  fields.Vary = varyOf(target)
  fields['Accept-Ranges'] ??= 'none'
  if (body === undefined || minimal) return { status, fields }
  const encoded = await encodeBody(body, coding)
  if (encoded.coding !== undefined) fields['Content-Encoding'] = encoded.coding
  return { status, fields, body: encoded.body }
}

/** The known facts about a refused request. */
interface RefusedRequest {
  readonly id: string
  readonly target: Target | undefined
  /** The value of Accept. */
  readonly accept: string | undefined
  /** The value of Accept-Language. */
  readonly acceptLanguage?: string | undefined
  /** Whether the code of a page sent it, or an element of one, and no navigation. */
  readonly isFromPage?: boolean
  /** The layout and form of its HTML page; undefined when it has no HTML page. */
  readonly page?: RefusalPageView | undefined
}

/** The response to a refusal: a problem (RFC 9457) in the format that the client prefers. */
export function finishRefusal(
  { model, schemes }: Pick<ServiceContext, 'model' | 'schemes'>,
  refusal: Refusal,
  { id, target, accept, acceptLanguage, isFromPage, page }: RefusedRequest,
): HttpResponse {
  const { status, type } = refusal
  const { title, cause } = problemTypes[type]
  const { detail = cause, errors, members = {} } = refusal.options
  const view: ProblemView = {
    kind: 'problem',
    type: problemUri(model, type),
    title,
    status,
    detail,
    instance: `urn:uuid:${id}`,
    errors,
    members,
    ...page,
  }
  const challenge = status === 401 ? { 'WWW-Authenticate': formatChallenges(schemes) } : {}
  const preferred = negotiateProblem(target, accept)
  const format = preferred.isHtml && !page ? problem : formatForReader(model, preferred, acceptLanguage)
  const fields: ResponseFields = {
    'Cache-Control': cacheControlOfError(status, target, format),
    Vary: varyOf(target),
    ...challenge,
    ...refusal.options.fields,
    ...((format.isHtml || isFromPage) && status === 401 ? pageChallenge(schemes) : {}),
  }
  addType(fields, format)
  return { status, fields, body: format.write(view) }
}

/** No Basic: a browser would open its own password dialog, instead of the HTML page or of what the code of a page does. */
function pageChallenge({ realm, offered }: AuthenticationSchemes): ResponseFields {
  const others = new Map([...offered].filter(([name]) => name !== 'basic'))
  return { 'WWW-Authenticate': formatChallenges({ realm, offered: others }) }
}

/** The result of a method, before any format. */
export interface ViewResponse {
  readonly status: 200 | 201 | 202 | 204
  /** Undefined when there is nothing to show, or nothing that the caller may see. */
  readonly view: View | StreamView | EventsView | undefined
  readonly links: readonly Link[]
  /** The fields of this result, such as Location and the validators. */
  readonly fields: ResponseFields
  /** The view in the format of the request, where its entity tag was computed from the text. */
  readonly text?: string | Uint8Array
  /** As it was stored under an idempotency key; undefined: it is still to be written. */
  readonly rendered?: RenderedResponse
}

const htmlFields: ResponseFields = Object.freeze({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
})
