/** Turns results and refusals into HTTP responses: format, header fields and content coding. */

import { type AuthenticationSchemes, formatChallenges } from '../../access/authenticate.ts'
import type { Model } from '../../definition/model.ts'
import { type Format, isWriting } from '../../formats/format.ts'
import { problem } from '../../formats/problem.ts'
import type { Link } from '../../http/link.ts'
import type { Body, HttpResponse, ResponseFields } from '../../http/message.ts'
import { safeMethods } from '../../http/method.ts'
import { isStreamed } from '../../http/streamed-body.ts'
import { problemTypes, type Refusal } from '../../refusal.ts'
import { problemTypeUri } from '../../views/uri.ts'
import type { EventsView, FileView, ProblemView, StreamView, View } from '../../views/view.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Target } from '../context/target.ts'
import { deprecationFields, locationsInVersion } from '../versions/version-links.ts'
import { cacheControlOf, cacheControlOfError, varyOf } from './cacheability.ts'
import { encodeBody, tagWithCoding } from './content-coding.ts'
import { formatLinkField } from './link-field.ts'
import { negotiateProblem } from './offered-formats.ts'

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
  const minimal = view !== undefined && !response.isMinimal && preferences.get('return') === 'minimal'
  const body = view && (response.text ?? bodyOf(view, format))
  const fields: ResponseFields = { ...response.fields }
  if (minimal) delete fields['Content-Location']
  else {
    if (version) Object.assign(fields, locationsInVersion(context, version, fields))
    if (body !== undefined) fields['Content-Type'] ??= typeOf(format)
  }
  const applied = preferences.size === 0 ? undefined : formatApplied(context, response)
  if (applied !== undefined) fields['Preference-Applied'] = applied
  const status = minimal && response.status === 200 ? 204 : response.status
  const links = status === 204 ? '' : formatLinkField(context, response)
  if (links !== '') fields.Link = links
  return { status, fields, body, minimal }
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

function typeOf({ contentType, mediaType }: Format): string {
  return contentType ?? mediaType
}

/** Undefined in a format that does not write views: what makes the representation adds it. */
function bodyOf(view: View | FileView | StreamView | EventsView, format: Format): Body | undefined {
  if (view.kind === 'file') return view.octets
  if (view.kind === 'events') return view.body
  if (view.kind !== 'stream') return format.write?.(view)
  if (format.stream) return format.stream(view)
  throw new Error(`${format.mediaType} cannot be streamed`)
}

/** Applies the content coding of this request and adds Cache-Control and Vary. Changes the rendered fields in place. */
export async function encodeResponse(
  context: RequestContext,
  rendered: RenderedResponse,
): Promise<HttpResponse> {
  const { status, fields, body, minimal } = rendered
  const { coding, target, version } = context
  if (version) Object.assign(fields, deprecationFields(target, version))
  if (body !== undefined && !isStreamed(body) && typeof fields.ETag === 'string') {
    fields.ETag = tagWithCoding(fields.ETag, coding)
  }
  fields['Cache-Control'] ??= cacheControlOf(context)
  fields.Vary = varyOf(target)
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
  /** Whether the code of a page sent it, or an element of one, and no navigation. */
  readonly isFromPage?: boolean
}

/** The response to a refusal: a problem (RFC 9457) in the format for programs that the client prefers. */
export function finishRefusal(
  { model, schemes }: Pick<ServiceContext, 'model' | 'schemes'>,
  refusal: Refusal,
  { id, target, accept, isFromPage = false }: RefusedRequest,
): HttpResponse {
  const preferred = negotiateProblem(target, accept)
  const format = isWriting(preferred) ? preferred : problem
  const fields = refusalFields(schemes, refusal, { target, format, isForPage: isFromPage })
  return { status: refusal.status, fields, body: format.write(createProblemView(model, refusal, id)) }
}

/** The problem that a refusal is. */
export function createProblemView(model: Model, { status, type, options }: Refusal, id: string): ProblemView {
  const { title, cause } = problemTypes[type]
  const { detail = cause, errors, members = {} } = options
  return {
    kind: 'problem',
    type: problemTypeUri(model, type),
    title,
    status,
    detail,
    instance: `urn:uuid:${id}`,
    errors,
    members,
  }
}

interface RefusalFormat extends Pick<RefusedRequest, 'target'> {
  readonly format: Format
  /** Whether a page shows it, or the code of one uses it. */
  readonly isForPage: boolean
}

/** The header fields of a problem in a format. */
export function refusalFields(
  schemes: AuthenticationSchemes,
  { status, options }: Refusal,
  { target, format, isForPage }: RefusalFormat,
): ResponseFields {
  const challenge = status === 401 ? { 'WWW-Authenticate': formatChallenges(schemes) } : {}
  return {
    'Cache-Control': cacheControlOfError(status, target, format),
    Vary: varyOf(target),
    ...challenge,
    ...options.fields,
    ...(isForPage && status === 401 ? pageChallenge(schemes) : {}),
    'Content-Type': typeOf(format),
  }
}

/** No Basic: a browser would open its own password dialog, instead of the HTML page or of what the code of a page does. */
function pageChallenge({ realm, offered }: AuthenticationSchemes): ResponseFields {
  const others = new Map([...offered].filter(([name]) => name !== 'basic'))
  return { 'WWW-Authenticate': formatChallenges({ realm, offered: others }) }
}

/** The result of a method, before any format. */
export interface ViewResponse {
  readonly status: 200 | 201 | 202 | 204 | 206 | 303
  /** Undefined when there is nothing to show, or nothing that the caller may see. */
  readonly view: View | FileView | StreamView | EventsView | undefined
  readonly links: readonly Link[]
  /** The fields of this result, such as Location and the validators. */
  readonly fields: ResponseFields
  /** Whether the view has only what Prefer: return=minimal leaves, so that it is sent. */
  readonly isMinimal?: boolean
  /** The view in the format of the request, where its entity tag was computed from the text. */
  readonly text?: string | Uint8Array
  /** As it was stored under an idempotency key; undefined: it is still to be written. */
  readonly rendered?: RenderedResponse
  /** Where people find what came of it, in place of a page of this response. */
  readonly seeOther?: string
}
