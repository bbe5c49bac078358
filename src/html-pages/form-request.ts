/**
 * /forms: what HTML forms cannot send themselves. A POST to /forms/{collection}/{id} names the
 * method and the entity tag in its query and is handled as that request; a GET of
 * /forms/{collection} is a filter form, whose empty inputs are left out of the list it leads to.
 */

import type { RequestContext } from '../context/request-context.ts'
import type { FieldModel, Model, ResourceModel } from '../definition/model.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { formatQueryString, parseQueryString, type QueryPair } from '../http/query-string.ts'
import { formatPath, parseTarget } from '../http/request-target.ts'
import { refuse } from '../refusal.ts'
import { countParameter } from '../representations/html/collection-page.ts'
import { withoutBase } from '../request/target.ts'
import { EarlyResponse } from '../respond/early-response.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { collectionUri } from '../view/uri.ts'

/** A request as it is meant. */
export interface UnwrappedRequest extends HttpRequest {
  /** Whether it came by way of /forms: success is then another page to go to. */
  readonly viaForm?: boolean
}

/** The request itself, or what a form meant by it; leads elsewhere with 303, refuses 400, 404, 405. */
export function unwrapForm(model: Model, request: HttpRequest): UnwrappedRequest {
  if (!request.target.includes('/forms/')) return request
  const parsed = parseTarget(request.target)
  if (parsed.kind !== 'path' || parsed.hasDotSegments) return request
  const [first, name = '', id, ...rest] = withoutBase(model.base, parsed.segments) ?? []
  const resource = model.resources.get(name)
  if (first !== 'forms' || rest.length > 0 || !resource) return request
  const pairs = parseQueryString(parsed.query ?? '')
  if (!pairs) throw refuse('malformed-request', { detail: 'The query is not well encoded.' })
  const form = {
    request,
    path: formatPath(model.base, id === undefined ? [name] : [name, id]),
    pairs,
  }
  if (id === undefined) return unwrapFilter(form, resource)
  return unwrapWrite(form)
}

interface SentForm {
  readonly request: HttpRequest
  /** Of what it is about. */
  readonly path: string
  readonly pairs: readonly QueryPair[]
}

const changes: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE'])

function unwrapWrite({ request, path, pairs }: SentForm): UnwrappedRequest {
  // Whoever reloads the page that a refused form led to finds the item itself.
  if (isRead(request)) throw seeOther(path)
  if (request.method !== 'POST') throw notOffered(request, 'GET, HEAD, POST, OPTIONS')
  const values = new Map(pairs)
  const method = values.get('method') ?? ''
  if (!changes.has(method)) {
    throw refuse('invalid-parameter', {
      detail: "The parameter 'method' must be PUT, PATCH or DELETE.",
      members: { parameter: 'method' },
    })
  }
  const match = values.get('match')
  const fields = { ...request.fields, ...(match === undefined ? {} : { 'if-match': match }) }
  return { ...request, method, target: path, fields, viaForm: true }
}

/** The count is asked for by a header field, which no link can send. */
function unwrapFilter(
  { request, path, pairs }: SentForm,
  resource: ResourceModel,
): UnwrappedRequest {
  if (!isRead(request)) throw notOffered(request, 'GET, HEAD, OPTIONS')
  const kept = pairs
    .filter(([name, value]) => value !== '' && name !== countParameter)
    .map(([name, value]): QueryPair => [name, wholeTime(resource, name, value)])
  const query = formatQueryString(kept)
  const target = query === '' ? path : `${path}?${query}`
  if (!pairs.some(([name]) => name === countParameter)) throw seeOther(target)
  return { ...request, target, fields: { ...request.fields, prefer: 'count=exact' } }
}

/** A day, where a time is wanted, is its beginning. */
function wholeTime({ field }: ResourceModel, name: string, value: string): string {
  const [own = ''] = name.split('[')
  const kind: FieldModel['kind'] | undefined = systemTimes.has(own)
    ? 'timestamp'
    : field.get(own)?.kind
  return kind === 'timestamp' && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value
}

const systemTimes: ReadonlySet<string> = new Set(['createdAt', 'updatedAt'])

function isRead({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

function notOffered({ method }: HttpRequest, allow: string) {
  if (method === 'OPTIONS') {
    return new EarlyResponse({ status: 204, fields: { Allow: allow, 'Cache-Control': 'no-cache' } })
  }
  return refuse('method-not-allowed', {
    detail: `${method} is not offered here.`,
    fields: { Allow: allow },
  })
}

/** After a form: the item as it is now, or its collection where it is gone or not to be seen. */
export function redirectAfterForm(
  { service, target }: RequestContext,
  { fields }: ViewResponse,
): HttpResponse {
  const { 'Content-Location': location } = fields
  const resource = 'resource' in target ? target.resource : undefined
  const up = resource ? collectionUri(service.model, resource) : target.path
  return seeOther(typeof location === 'string' ? location : up).response
}

/** RFC 9110 §15.4.4. */
export function seeOther(location: string, fields: Readonly<Record<string, string>> = {}) {
  return new EarlyResponse({
    status: 303,
    fields: { Location: location, 'Cache-Control': 'no-store', ...fields },
  })
}
