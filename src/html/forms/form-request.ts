/**
 * /forms/X, where X is the URI of a collection, an item, an action or a file: requests that HTML forms cannot send. A POST
 * for an item or a file names the method and the entity tag in its query. A POST for a collection, an action or a list of
 * files is a POST to it. A GET of a collection with a query is a filter form: it redirects to the list, without the empty
 * inputs. So does the form of a query that the definition declares. Other GETs of a collection or an item are the pages of their forms.
 */

import { isFileList } from '../../definition/file-fields.ts'
import { type Model, outputFields, type ResourceModel } from '../../definition/model.ts'
import { systemFields } from '../../definition/system-fields.ts'
import {
  type DecimalSign,
  decimalSignName,
  findDecimalSign,
  isNumber,
  readNumber,
} from '../../formats/written-number.ts'
import type { HttpRequest } from '../../http/message.ts'
import { knownMethods } from '../../http/method.ts'
import { formatQueryString, parseQueryString, type QueryPair } from '../../http/query-string.ts'
import { formatPath, parseTarget } from '../../http/request-target.ts'
import { refuse } from '../../refusal.ts'
import type { CoreRequest } from '../../requests/context/core-request.ts'
import type {
  CollectionTarget,
  Document,
  DocumentTable,
  DocumentTarget,
  Target,
} from '../../requests/context/target.ts'
import { resolveTarget, withoutBase } from '../../requests/decisions/resolve-target.ts'
import { returnsSecret } from '../../requests/respond/cacheability.ts'
import { EarlyResponse, movedPermanently, seeOther } from '../../requests/respond/early-response.ts'
import { formUri } from '../../views/uri.ts'
import { choices, creationForm, editForm, importForm } from './form-documents.ts'
import { findFormKey, isForm } from './form-key.ts'
import { acceptImport } from './import-form.ts'
import { importParameter } from './import-view.ts'
import { choicesParameter } from './reference-control.ts'

/** The request that a form represents. */
export interface UnwrappedRequest {
  readonly request: CoreRequest
  /** Whether its success is a redirect: it was sent to /forms. */
  readonly redirects: boolean
}

/** The request that the form represents, or the request itself; redirects with 301 and 303, refuses 400, 404 and 405. */
export function unwrapForm(
  { model, documents }: { readonly model: Model; readonly documents: DocumentTable },
  request: HttpRequest,
): UnwrappedRequest {
  const plain = { request, redirects: false }
  if (!request.target.includes('/forms/') || !knownMethods.has(request.method)) return plain
  const parsed = parseTarget(request.target)
  if (parsed.kind !== 'path' || parsed.hasDotSegments) return plain
  const [first, ...segments] = withoutBase(model.base, parsed.segments) ?? []
  if (first !== 'forms' || !hasForms(model, segments)) return plain
  const pairs = parseQueryString(parsed.query ?? '')
  if (!pairs) throw refuse('malformed-request', { detail: 'The query has invalid percent-encoding.' })
  const path = formatPath(model.base, segments)
  const target = resolveTarget(model, documents, { ...request, target: path })
  const uri = formUri(model, segments)
  if (parsed.hasTrailingSlash && isRead(request)) throw movedPermanently(uri, { 'Cache-Control': 'no-cache' })
  return unwrapFor(target, { request, path, uri, query: parsed.query, pairs }) ?? plain
}

/** Whether the path is that of a collection, below one, or of an operation of the service. */
function hasForms({ resources, service }: Model, [first = '', ...below]: readonly string[]): boolean {
  return resources.has(first) || (below.length === 0 && service?.actions.has(first) === true)
}

interface SentForm {
  readonly request: HttpRequest
  /** The path of the item, collection, action or file. */
  readonly path: string
  /** The same below /forms. */
  readonly uri: string
  readonly query: string | undefined
  readonly pairs: readonly QueryPair[]
}

/** Undefined for targets that have no forms below /forms. */
function unwrapFor(target: Target, form: SentForm): UnwrappedRequest | undefined {
  switch (target.kind) {
    case 'collection':
      return target.below ? unwrapBelow(form, target) : unwrapCollection(form, target)
    case 'action':
      if (target.action.isSafe && isRead(form.request)) return unwrapFilter(form, target.action.input)
      return unwrapAction(form, { hasKey: true })
    case 'item': {
      if (target.ownAction !== undefined || target.below) return undefined
      const { resource, id, route, within } = target
      const page = { document: editForm, route, item: { resource, id } }
      return unwrapWrite(form, within ? undefined : page)
    }
    case 'file':
      return target.fileId === undefined && isFileList(target.field)
        ? unwrapAction(form, { hasKey: false })
        : unwrapWrite(form, undefined)
    default:
      return undefined
  }
}

/** A form that creates items or filters the list, or the page with a form that creates items. */
function unwrapCollection(form: SentForm, collection: CollectionTarget): UnwrappedRequest {
  const { request, path, pairs } = form
  const { resource, route, parent } = collection
  const isImport = resource.bulk && !parent && pairs.some(([name]) => name === importParameter)
  if (isRead(request)) {
    if (isImport) return pageOf(form, { document: importForm, route, collection })
    const isSearch = !parent && pairs.some(([name]) => name === choicesParameter)
    if (isSearch) return pageOf(form, { document: choices, route, collection })
    return isPage(pairs)
      ? pageOf(form, { document: creationForm, route, collection })
      : unwrapFilter(form, resource)
  }
  requirePost(request)
  if (isImport) {
    const target = writeTarget(path, pairs, [importParameter])
    const acceptContent = (maxOctets: number) => acceptImport({ resource, request, maxOctets })
    return { request: { ...request, target, acceptContent, findKey: findFormKey }, redirects: true }
  }
  const created = { ...request, target: writeTarget(path, pairs, []) }
  // A secret is shown once, by the response itself.
  if (returnsSecret(resource)) return { request: created, redirects: false }
  return { request: isForm(request) ? { ...created, findKey: findFormKey } : created, redirects: true }
}

/** A form that asks for the groups of a list. */
function unwrapBelow(form: SentForm, { resource, below }: CollectionTarget): UnwrappedRequest | undefined {
  return below === 'aggregate' && isRead(form.request) ? unwrapFilter(form, resource) : undefined
}

interface FormPage extends Pick<DocumentTarget, 'item' | 'collection'> {
  readonly document: Document
  /** The route of the collection or the item. */
  readonly route: string
}

function pageOf({ request, uri, query }: SentForm, { route, ...page }: FormPage): UnwrappedRequest {
  const resolved: DocumentTarget = {
    kind: 'document',
    ...page,
    parameter: undefined,
    path: uri,
    query,
    route: `/forms${route}`,
  }
  return { request: { ...request, resolved }, redirects: false }
}

const changes: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE'])

/** A GET without a query is the page with the form that edits the item. Files and nested items have no such page. */
function unwrapWrite(form: SentForm, page: FormPage | undefined): UnwrappedRequest {
  const { request, path, pairs } = form
  if (isRead(request) && isPage(pairs) && page) return pageOf(form, page)
  // A reload of the page after a refused form shows the item.
  if (isRead(request)) throw seeOther(path)
  requirePost(request)
  const target = writeTarget(path, pairs, ['method', 'match'])
  const method = new Map(pairs).get('method') ?? ''
  if (!changes.has(method)) {
    throw refuse('invalid-parameter', {
      detail: "The parameter 'method' must be PUT, PATCH or DELETE.",
      members: { parameter: 'method' },
    })
  }
  return { request: { ...request, method, target, fields: withMatch(request, pairs) }, redirects: true }
}

/** An action, or a file for a list. A reload of the page after a refused form shows the item, or the collection. */
function unwrapAction(
  { request, path, pairs }: SentForm,
  { hasKey }: { readonly hasKey: boolean },
): UnwrappedRequest {
  if (isRead(request)) throw seeOther(path.slice(0, path.lastIndexOf('/')) || '/')
  requirePost(request)
  const target = writeTarget(path, pairs, ['match'])
  const sent = { ...request, target, fields: withMatch(request, pairs) }
  return { request: hasKey && isForm(request) ? { ...sent, findKey: findFormKey } : sent, redirects: true }
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

/** Redirects to the list, without the empty inputs. */
function unwrapFilter({ path, pairs }: SentForm, resource: ResourceModel): never {
  const decimal = findDecimalSign(pairs)
  const filled = withJoinedFields(pairs)
    .filter(([name, value]) => value !== '' && name !== decimalSignName)
    .map(([name, value]): QueryPair => [name, exactValue(resource, { name, value, decimal })])
  const query = formatQueryString(filled)
  throw seeOther(query === '' ? path : `${path}?${query}`)
}

/** The chosen columns as one parameter; a form sends each for itself. */
function withJoinedFields(pairs: readonly QueryPair[]): readonly QueryPair[] {
  const chosen = pairs.flatMap(([name, value]) => (name === 'fields' && value !== '' ? [value] : []))
  if (chosen.length === 0) return pairs
  return [...pairs.filter(([name]) => name !== 'fields'), ['fields', chosen.join(',')]]
}

interface FilterValue {
  readonly name: string
  readonly value: string
  readonly decimal: DecimalSign | undefined
}

/** The value as the list takes it: of a timestamp, the beginning of a day; of a number, the exact one. Refuses 400. */
function exactValue(resource: ResourceModel, { name, value, decimal }: FilterValue): string {
  const [path = ''] = name.split('[')
  const field = systemFields.get(path) ?? outputFields(resource).find((one) => one.name === path)
  if (field?.kind.order === 'instant') return /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value
  if (!field || !isNumber(field) || decimal === undefined) return value
  const read = readNumber(value, decimal, field.schema.type === 'integer')
  if ('exact' in read) return read.exact
  const [one, other] = read.meanings
  throw refuse('invalid-parameter', {
    detail: `The number of the parameter '${name}' can be read in two ways. Write ${one} or ${other}.`,
    members: { parameter: name },
  })
}

/** Whether the query is that of a page with a form: no filter, no method. */
function isPage(pairs: readonly QueryPair[]): boolean {
  return pairs.every(([name]) => name === 'format')
}

function isRead({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

function requirePost({ method }: HttpRequest): void {
  const allow = 'GET, HEAD, POST, OPTIONS'
  if (method === 'POST') return
  if (method === 'OPTIONS') {
    throw new EarlyResponse({ status: 204, fields: { Allow: allow, 'Cache-Control': 'no-cache' } })
  }
  throw refuse('method-not-allowed', {
    detail: `This URI does not offer ${method}. Use one of: ${allow}.`,
    fields: { Allow: allow },
  })
}
