/** The last step: an answer becomes a response, with the header fields it owes. */

import { type AuthenticationSchemes, formatChallenges } from '../access/authenticate.ts'
import type { Preferences, RequestContext } from '../context/request-context.ts'
import { relationsAt, type ServiceContext } from '../context/service-context.ts'
import type { Target } from '../context/target.ts'
import { formatLink, type Link } from '../http/link.ts'
import type { Body, HttpResponse, ResponseFields } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { problemTypes, type Refusal } from '../refusal.ts'
import { problem } from '../representations/problem.ts'
import type { Representation } from '../representations/representation.ts'
import { andThen, type MaybePromise } from '../store/store.ts'
import { expandRelation, relationName } from '../view/link-relation.ts'
import { problemUri } from '../view/uri.ts'
import type { ProblemView, RefusalPageView, StreamView, View } from '../view/view.ts'
import { cacheControlOf, cacheControlOfError, varyOf } from './cacheability.ts'
import { type EncodedBody, encodeBody, isStreamed, tagWithCoding } from './content-coding.ts'
import {
  contentLocation,
  formatAlternates,
  isWithinLinkLimit,
  negotiateProblem,
} from './offered-formats.ts'

export function finishResponse(
  context: RequestContext,
  response: ViewResponse,
): MaybePromise<HttpResponse> {
  return encodeResponse(context, renderResponse(context, response))
}

/** An answer in its format: all that is the same whoever is in between, and whenever it is sent. */
export interface RenderedResponse {
  readonly status: number
  readonly fields: ResponseFields
  /** Undefined where nothing is shown. */
  readonly body: Body | undefined
  /** Whether the body only tells what its validators are of, and stays here. */
  readonly minimal: boolean
}

export function renderResponse(context: RequestContext, response: ViewResponse): RenderedResponse {
  const { format, preferences } = context
  const { view } = response
  const minimal = view !== undefined && preferences.get('return') === 'minimal'
  const fields: ResponseFields = { ...response.fields }
  if (minimal) delete fields['Content-Location']
  else {
    const location = contentLocation(context)
    if (location !== undefined) fields['Content-Location'] ??= location
    if (view) addType(fields, format)
  }
  const applied = preferences.size === 0 ? undefined : appliedTo(context, response)
  if (applied !== undefined) fields['Preference-Applied'] = applied
  const status = minimal && response.status === 200 ? 204 : response.status
  const links = status === 204 ? '' : formatHeaderLinks(context, response)
  if (links !== '') fields.Link = links
  return { status, fields, body: view && bodyOf(view, format), minimal }
}

function appliedTo(
  { preferences, target, method }: RequestContext,
  { view }: ViewResponse,
): string | undefined {
  // A cache may keep what is read, and must not tell others of preferences that Vary leaves out.
  if (target.kind !== 'collection' && safeMethods.has(method)) return undefined
  return formatApplied(
    preferences,
    ([name, value]) => name !== 'return' || value === 'minimal' || view !== undefined,
  )
}

/** What the content is; of a page also what it may load. */
function addType(fields: ResponseFields, format: Representation): void {
  fields['Content-Type'] = format.contentType ?? format.mediaType
  if (format.isHtml) Object.assign(fields, htmlFields)
}

function bodyOf(view: View | StreamView, format: Representation): Body {
  if (view.kind !== 'stream') return format.write(view)
  if (format.stream) return format.stream(view)
  throw new Error(`${format.mediaType} is not made for streams`)
}

/** Items of a list are linked in bodies alone; templates are no references (RFC 8288 §3.1). */
function formatHeaderLinks(context: RequestContext, { view, links }: ViewResponse): string {
  let text = ''
  let self: string | undefined
  const whole = (link: Link) => wholeLink(context, link)
  for (const link of links) {
    if (link.rel === 'item' || link.templated !== undefined) continue
    if (!isWithinLinkLimit(link)) continue
    if (link.rel === 'self') self ??= link.target
    text = text === '' ? formatLink(whole(link)) : `${text}, ${formatLink(whole(link))}`
  }
  const others = view && self !== undefined ? formatAlternates(context, self) : ''
  return others === '' ? text : `${text}, ${others}`
}

/** RFC 8288 §2.1.2: an extension relation is an absolute URI. */
function wholeLink({ service, origin }: RequestContext, link: Link): Link {
  if (relationName(link.rel) === undefined) return link
  return { ...link, rel: expandRelation(link.rel, relationsAt(service, origin)) }
}

/**
 * What depends on this very request: its coding, and what caches are told. Takes over the fields of
 * what was rendered.
 */
export function encodeResponse(
  context: RequestContext,
  rendered: RenderedResponse,
): MaybePromise<HttpResponse> {
  const { status, fields, body, minimal } = rendered
  const { coding, target } = context
  if (body !== undefined && !isStreamed(body) && typeof fields.ETag === 'string') {
    fields.ETag = tagWithCoding(fields.ETag, body, coding)
  }
  fields['Cache-Control'] ??= cacheControlOf(context)
  fields.Vary = varyOf(target)
  fields['Accept-Ranges'] = 'none'
  if (body === undefined || minimal) return { status, fields }
  return andThen(encodeBody(body, coding), (coded) => codedResponse(status, fields, coded))
}

function codedResponse(status: number, fields: ResponseFields, coded: EncodedBody): HttpResponse {
  if (coded.coding !== undefined) fields['Content-Encoding'] = coded.coding
  return { status, fields, body: coded.body }
}

/** What is known of a request that was refused. */
export interface RefusedRequest {
  readonly id: string
  readonly target: Target | undefined
  /** Its Accept field, where one could be read. */
  readonly accept: string | undefined
  /** Where it can be shown as a page, what the page has besides. */
  readonly page?: RefusalPageView | undefined
}

/** A refusal as a problem (RFC 9457), in the format of problems that the client likes better. */
export function finishRefusal(
  { model, schemes }: Pick<ServiceContext, 'model' | 'schemes'>,
  refusal: Refusal,
  { id, target, accept, page }: RefusedRequest,
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
  const liked = negotiateProblem(target, accept)
  // Where nothing is known but the refusal there is no page to show it on.
  const format = liked.isHtml && !page ? problem : liked
  const fields: ResponseFields = {
    'Cache-Control': cacheControlOfError(status, target, format),
    Vary: varyOf(target),
    ...challenge,
    ...refusal.options.fields,
    ...(format.isHtml && status === 401 ? pageChallenge(schemes) : {}),
  }
  addType(fields, format)
  return { status, fields, body: format.write(view) }
}

/** A browser that is offered Basic asks for a password by itself, and never shows the page. */
function pageChallenge({ realm, offered }: AuthenticationSchemes): ResponseFields {
  const others = new Map([...offered].filter(([name]) => name !== 'basic'))
  return { 'WWW-Authenticate': formatChallenges({ realm, offered: others }) }
}

/** The value of Preference-Applied (§3): what the answer was made by; undefined where nothing. */
export function formatApplied(
  preferences: Preferences,
  isApplied: (preference: readonly [name: string, value: string]) => boolean,
): string | undefined {
  const applied = [...preferences].filter(isApplied)
  if (applied.length === 0) return undefined
  return applied.map(([name, value]) => `${name}=${value}`).join(', ')
}

export interface ViewResponse {
  readonly status: 200 | 201 | 204
  /** Undefined where there is nothing to show, or nothing this caller may see. */
  readonly view: View | StreamView | undefined
  readonly links: readonly Link[]
  /** Fields that belong to this outcome, such as Location and the validators. */
  readonly fields: ResponseFields
}

export const htmlFields: ResponseFields = Object.freeze({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
})
