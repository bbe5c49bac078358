/** The last step: an answer becomes a response, with the header fields it owes. */

import { challenges, type Schemes } from '../access/authenticate.ts'
import { formatLink, type Link } from '../http/link.ts'
import type { Body, HttpResponse, ResponseFields } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { problemTypes, type Refusal } from '../refusal.ts'
import { problem } from '../representations/problem.ts'
import type { Representation } from '../representations/representation.ts'
import { type Awaitable, andThen } from '../store/store.ts'
import { expandRelation, relationName } from '../view/relation.ts'
import { problemUri } from '../view/uri.ts'
import type { ProblemView, StreamView, View } from '../view/view.ts'
import type { Answer } from './answer.ts'
import { cacheControlOf, cacheControlOfError, varyOf } from './cacheability.ts'
import { type Coded, codedTag, encode, isStreamed } from './coding.ts'
import type { Context } from './context.ts'
import type { Errand } from './errand.ts'
import { isWithinLinkLimit } from './link-limit.ts'
import { contentLocation, formatAlternates, negotiateProblem } from './negotiation.ts'
import type { RefusalPage } from './pages/refusal-page.ts'
import { pageFields } from './pages/security.ts'
import { formatApplied } from './preference.ts'
import { relationsAt } from './relations-uri.ts'
import type { Target } from './target.ts'

export function finish(errand: Errand, answer: Answer): Awaitable<HttpResponse> {
  return send(errand, render(errand, answer))
}

/** An answer in its format: all that is the same whoever is in between, and whenever it is sent. */
export interface Rendered {
  readonly status: number
  readonly fields: ResponseFields
  /** Undefined where nothing is shown. */
  readonly body: Body | undefined
  /** Whether the body only tells what its validators are of, and stays here. */
  readonly minimal: boolean
}

export function render(errand: Errand, answer: Answer): Rendered {
  const { format, preferences } = errand
  const { view } = answer
  const minimal = view !== undefined && preferences.get('return') === 'minimal'
  const fields: ResponseFields = { ...answer.fields }
  if (minimal) delete fields['Content-Location']
  else {
    const location = contentLocation(errand)
    if (location !== undefined) fields['Content-Location'] ??= location
    if (view) addType(fields, format)
  }
  const applied = preferences.size === 0 ? undefined : appliedTo(errand, answer)
  if (applied !== undefined) fields['Preference-Applied'] = applied
  const status = minimal && answer.status === 200 ? 204 : answer.status
  const links = status === 204 ? '' : formatHeaderLinks(errand, answer)
  if (links !== '') fields.Link = links
  return { status, fields, body: view && bodyOf(view, format), minimal }
}

function appliedTo({ preferences, target, method }: Errand, { view }: Answer): string | undefined {
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
  if (format.framed) Object.assign(fields, pageFields)
}

function bodyOf(view: View | StreamView, format: Representation): Body {
  if (view.kind !== 'stream') return format.write(view)
  if (format.stream) return format.stream(view)
  throw new Error(`${format.mediaType} is not made for streams`)
}

/** Items of a list are linked in bodies alone; templates are no references (RFC 8288 §3.1). */
function formatHeaderLinks(errand: Errand, { view, links }: Answer): string {
  let text = ''
  let self: string | undefined
  const whole = (link: Link) => wholeLink(errand, link)
  for (const link of links) {
    if (link.rel === 'item' || link.templated !== undefined) continue
    if (!isWithinLinkLimit(link)) continue
    if (link.rel === 'self') self ??= link.target
    text = text === '' ? formatLink(whole(link)) : `${text}, ${formatLink(whole(link))}`
  }
  const others = view && self !== undefined ? formatAlternates(errand, self) : ''
  return others === '' ? text : `${text}, ${others}`
}

/** RFC 8288 §2.1.2: an extension relation is an absolute URI. */
function wholeLink({ context, origin }: Errand, link: Link): Link {
  if (relationName(link.rel) === undefined) return link
  return { ...link, rel: expandRelation(link.rel, relationsAt(context, origin)) }
}

/**
 * What depends on this very request: its coding, and what caches are told. Takes over the fields of
 * what was rendered.
 */
export function send(errand: Errand, rendered: Rendered): Awaitable<HttpResponse> {
  const { status, fields, body, minimal } = rendered
  const { coding, target } = errand
  if (body !== undefined && !isStreamed(body) && typeof fields.ETag === 'string') {
    fields.ETag = codedTag(fields.ETag, body, coding)
  }
  fields['Cache-Control'] ??= cacheControlOf(errand)
  fields.Vary = varyOf(target)
  fields['Accept-Ranges'] = 'none'
  if (body === undefined || minimal) return { status, fields }
  return andThen(encode(body, coding), (coded) => codedResponse(status, fields, coded))
}

function codedResponse(status: number, fields: ResponseFields, coded: Coded): HttpResponse {
  if (coded.coding !== undefined) fields['Content-Encoding'] = coded.coding
  return { status, fields, body: coded.body }
}

/** What is known of a request that was refused. */
export interface Refused {
  readonly id: string
  readonly target: Target | undefined
  /** Its Accept field, where one could be read. */
  readonly accept: string | undefined
  /** Where it can be shown as a page, what the page has besides. */
  readonly page?: RefusalPage | undefined
}

/** A refusal as a problem (RFC 9457), in the format of problems that the client likes better. */
export function finishRefusal(
  { model, schemes }: Pick<Context, 'model' | 'schemes'>,
  refusal: Refusal,
  { id, target, accept, page }: Refused,
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
  const challenge = status === 401 ? { 'WWW-Authenticate': challenges(schemes) } : {}
  const liked = negotiateProblem(target, accept)
  // Where nothing is known but the refusal there is no page to show it on.
  const format = liked.framed && !page ? problem : liked
  const fields: ResponseFields = {
    'Cache-Control': cacheControlOfError(status, target, format),
    Vary: varyOf(target),
    ...challenge,
    ...refusal.options.fields,
    ...(format.framed && status === 401 ? pageChallenge(schemes) : {}),
  }
  addType(fields, format)
  return { status, fields, body: format.write(view) }
}

/** A browser that is offered Basic asks for a password by itself, and never shows the page. */
function pageChallenge({ realm, offered }: Schemes): ResponseFields {
  const others = new Map([...offered].filter(([name]) => name !== 'basic'))
  return { 'WWW-Authenticate': challenges({ realm, offered: others }) }
}
