/**
 * /forms: requests that HTML forms cannot send. A POST to /forms/{collection}/{id} names the method
 * and the entity tag in its query and is handled as that request. A POST to a collection, an action
 * or a list of files below /forms is handled as that POST, and followed by a redirect. A GET of a collection below /forms
 * with a query is a filter form: it redirects to the list, without the empty inputs. Other GETs have
 * a page of their own (`html/forms/form-documents.ts`).
 */

import { isFileList } from '../../definition/file-fields.ts'
import type { Model, ResourceModel } from '../../definition/model.ts'
import { isNested } from '../../definition/nested-resources.ts'
import { systemFields } from '../../definition/system-fields.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { formatQueryString, parseQueryString, type QueryPair } from '../../http/query-string.ts'
import { formatPath, parseTarget } from '../../http/request-target.ts'
import { refuse } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import type { FileTarget } from '../../requests/context/target.ts'
import { withoutBase } from '../../requests/decisions/resolve-target.ts'
import { returnsSecret } from '../../requests/respond/cacheability.ts'
import { EarlyResponse } from '../../requests/respond/early-response.ts'
import type { ViewResponse } from '../../requests/respond/finish-response.ts'
import type { Row } from '../../store/row.ts'
import { collectionUri, itemUri, referenceUri, signInUri } from '../../views/uri.ts'
import { countParameter } from '../pages/collection-page.ts'
import { importParameter } from './import-view.ts'
import { type FormContent, noticeAfter, noticeFields } from './notice.ts'

/** The request that a form represents. */
export interface UnwrappedRequest extends HttpRequest {
  /** Whether it was sent to /forms: a success is then a redirect. */
  readonly viaForm?: boolean
  /** Whether If-Match is of the form, which names the version that a person began to edit. */
  readonly hasFormMatch?: boolean
  /** Whether its content is a form with a file of items. */
  readonly isImport?: boolean
}

/** The request that the form represents, or the request itself; redirects with 303, refuses 400 and 405. */
export function unwrapForm(model: Model, request: HttpRequest): UnwrappedRequest {
  if (!request.target.includes('/forms/')) return request
  const parsed = parseTarget(request.target)
  if (parsed.kind !== 'path' || parsed.hasDotSegments) return request
  const [first, ...segments] = withoutBase(model.base, parsed.segments) ?? []
  const place = first === 'forms' ? findFormPlace(model, segments) : undefined
  if (!place) return request
  const pairs = parseQueryString(parsed.query ?? '')
  if (!pairs) {
    throw refuse('malformed-request', { detail: 'The query has invalid percent-encoding.' })
  }
  const form = { request, path: formatPath(model.base, segments), pairs }
  switch (place.kind) {
    case 'collection':
      return isImport(place, pairs) ? unwrapImport(form) : unwrapCollection(form, place.resource)
    case 'action':
      return unwrapAction(form)
    case 'item':
      return unwrapWrite(form, place.page)
  }
}

/** The part of the service that the path below /forms names. */
type FormPlace =
  | { readonly kind: 'collection'; readonly resource: ResourceModel; readonly takesImport: boolean }
  | { readonly kind: 'action' }
  | { readonly kind: 'item'; readonly page: 'edit' | 'none' }

function findFormPlace(model: Model, [name = '', id, ...below]: readonly string[]): FormPlace | undefined {
  const resource = model.resources.get(name)
  if (!resource) return undefined
  if (id === undefined) return { kind: 'collection', resource, takesImport: resource.bulk }
  if (below.length > 0) return findPlaceBelow(resource, below)
  if (resource.actions.get(id)?.on === 'collection') return { kind: 'action' }
  return { kind: 'item', page: 'edit' }
}

/** The place below an item: an action, a sub-collection or an item of it, a file or a list of files. */
function findPlaceBelow(
  resource: ResourceModel,
  [name = '', id, ...further]: readonly string[],
): FormPlace | undefined {
  if (further.length > 0) return undefined
  const relation = resource.relations.get(name)
  const below = relation?.kind === 'inverse' ? relation.target : undefined
  const field = resource.fieldByName.get(name)
  const isList = field !== undefined && isFileList(field)
  if (id !== undefined) {
    return isList || (below && isNested(below)) ? { kind: 'item', page: 'none' } : undefined
  }
  if (isList || resource.actions.get(name)?.on === 'item') return { kind: 'action' }
  if (below) return { kind: 'collection', resource: below, takesImport: false }
  return field?.file ? { kind: 'item', page: 'none' } : undefined
}

interface SentForm {
  readonly request: HttpRequest
  /** The path of the item or collection. */
  readonly path: string
  readonly pairs: readonly QueryPair[]
}

/** A form that creates an item or filters the list, or the page with the form that creates an item. */
function unwrapCollection(form: SentForm, resource: ResourceModel): UnwrappedRequest {
  const { request, path, pairs } = form
  if (isRead(request)) return isPage(pairs) ? request : unwrapFilter(form, resource)
  if (request.method !== 'POST') throw notOffered(request, 'GET, HEAD, POST, OPTIONS')
  // A secret is shown once, by the response itself.
  return { ...request, target: writeTarget(path, pairs, []), viaForm: !returnsSecret(resource) }
}

/** Whether the form, or its page, imports items. Other resources refuse the parameter as an unknown one. */
function isImport({ takesImport }: { readonly takesImport: boolean }, pairs: readonly QueryPair[]): boolean {
  return takesImport && pairs.some(([name]) => name === importParameter)
}

/** A form with a file of items, or its page. */
function unwrapImport({ request, path, pairs }: SentForm): UnwrappedRequest {
  if (isRead(request)) return request
  if (request.method !== 'POST') throw notOffered(request, 'GET, HEAD, POST, OPTIONS')
  const target = writeTarget(path, pairs, [importParameter])
  return { ...request, target, viaForm: true, isImport: true }
}

const changes: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE'])

/** A GET without a query is the page with the form that edits the item. Files and nested items have no such page. */
function unwrapWrite({ request, path, pairs }: SentForm, page: 'edit' | 'none'): UnwrappedRequest {
  if (isRead(request) && isPage(pairs) && page === 'edit') return request
  // A reload of the page after a refused form shows the item.
  if (isRead(request)) throw seeOther(path)
  if (request.method !== 'POST') throw notOffered(request, 'GET, HEAD, POST, OPTIONS')
  const target = writeTarget(path, pairs, ['method', 'match'])
  const method = new Map(pairs).get('method') ?? ''
  if (!changes.has(method)) {
    throw refuse('invalid-parameter', {
      detail: "The parameter 'method' must be PUT, PATCH or DELETE.",
      members: { parameter: 'method' },
    })
  }
  const hasFormMatch = pairs.some(([name]) => name === 'match')
  return { ...request, method, target, fields: withMatch(request, pairs), viaForm: true, hasFormMatch }
}

/** An action, or a file for a list. A reload of the page after a refused form shows the item, or the collection. */
function unwrapAction({ request, path, pairs }: SentForm): UnwrappedRequest {
  if (isRead(request)) throw seeOther(path.slice(0, path.lastIndexOf('/')))
  if (request.method !== 'POST') throw notOffered(request, 'GET, HEAD, POST, OPTIONS')
  const target = writeTarget(path, pairs, ['match'])
  return { ...request, target, fields: withMatch(request, pairs), viaForm: true }
}

/** The target of the write. A parameter that is not the form's own stays in it, to be judged there. */
function writeTarget(path: string, pairs: readonly QueryPair[], formParameters: readonly string[]): string {
  const query = formatQueryString(pairs.filter(([name]) => !formParameters.includes(name)))
  return query === '' ? path : `${path}?${query}`
}

/** The header fields, with the precondition of the form. */
function withMatch({ fields }: HttpRequest, pairs: readonly QueryPair[]): HttpRequest['fields'] {
  const values = new Map(pairs)
  const [match, noneMatch] = [values.get('match'), values.get('none-match')]
  return {
    ...fields,
    ...(match === undefined ? {} : { 'if-match': match }),
    ...(noneMatch === undefined ? {} : { 'if-none-match': noneMatch }),
  }
}

/** The count needs the Prefer field, which a link cannot send, so such a list is not redirected. */
function unwrapFilter({ request, path, pairs }: SentForm, resource: ResourceModel): UnwrappedRequest {
  const filled = withJoinedFields(pairs)
    .filter(([name, value]) => value !== '' && name !== countParameter)
    .map(([name, value]): QueryPair => [name, timestampOf(resource, name, value)])
  const query = formatQueryString(filled)
  const target = query === '' ? path : `${path}?${query}`
  if (!pairs.some(([name]) => name === countParameter)) throw seeOther(target)
  return { ...request, target, fields: { ...request.fields, prefer: 'count=exact' } }
}

/** The chosen columns as one parameter; a form sends each for itself. */
function withJoinedFields(pairs: readonly QueryPair[]): readonly QueryPair[] {
  const chosen = pairs.flatMap(([name, value]) => (name === 'fields' && value !== '' ? [value] : []))
  if (chosen.length === 0) return pairs
  return [...pairs.filter(([name]) => name !== 'fields'), ['fields', chosen.join(',')]]
}

/** For a timestamp field, a date becomes the beginning of that day. */
function timestampOf({ fieldByName }: ResourceModel, parameter: string, value: string): string {
  const [name = ''] = parameter.split('[')
  const field = systemFields.get(name) ?? fieldByName.get(name)
  return field?.kind.order === 'instant' && /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value
}

/** Whether the query is that of a page with a form: no filter, no method. */
function isPage(pairs: readonly QueryPair[]): boolean {
  return pairs.every(([name]) => name === 'format')
}

function isRead({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

function notOffered({ method }: HttpRequest, allow: string) {
  if (method === 'OPTIONS') {
    return new EarlyResponse({ status: 204, fields: { Allow: allow, 'Cache-Control': 'no-cache' } })
  }
  return refuse('method-not-allowed', {
    detail: `This URI does not offer ${method}. Use one of: ${allow}.`,
    fields: { Allow: allow },
  })
}

/** 303 after a form: to the item, or to its collection when it was deleted or is hidden, with a notice. */
export async function redirectAfterForm(
  context: Pick<RequestContext, 'service' | 'target' | 'caller' | 'method' | 'origin'>,
  { fields }: Pick<ViewResponse, 'fields'>,
  sent: FormContent,
): Promise<HttpResponse> {
  const { service, target, caller } = context
  const { model } = service
  const { 'Content-Location': location } = fields
  const resource = 'resource' in target ? target.resource : undefined
  const isSignUp = caller.kind === 'anonymous' && resource === model.accounts?.resource
  if (isSignUp && target.kind === 'collection') {
    return seeOther(signInUri(model), noticeFields(context, { kind: 'signed-up' })).response
  }
  const uri = typeof location === 'string' ? location : collectionOf(service, target)
  return seeOther(uri, noticeFields(context, await noticeAfter(context, sent))).response
}

/** The URI of the collection that the target belongs to. */
function collectionOf({ model }: RequestContext['service'], target: RequestContext['target']): string {
  if (target.kind === 'item' && target.within) {
    const { resource, id, relation } = target.within
    return formatPath(referenceUri(model, resource, id), [relation.name])
  }
  return 'resource' in target ? collectionUri(model, target.resource) : target.path
}

/** 303 to the item whose file a form has changed. */
export function redirectAfterFileForm(
  context: RequestContext<FileTarget>,
  { row }: { readonly row: Row },
): HttpResponse {
  const { service, target } = context
  return seeOther(itemUri(service.model, target.resource, row), noticeFields(context, { kind: 'saved' }))
    .response
}

/** 303 (RFC 9110 §15.4.4). */
export function seeOther(location: string, fields: Readonly<Record<string, string>> = {}) {
  return new EarlyResponse({
    status: 303,
    body: '',
    fields: { Location: location, 'Cache-Control': 'no-store', ...fields },
  })
}
