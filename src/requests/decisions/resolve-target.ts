/** Resolves the target URI of a request (RFC 9110 §7.1) to a document, collection, item, element of a set or file. */

import { anonymous, type Principal } from '../../access/principal.ts'
import { findOwnAction } from '../../definition/built-in-table.ts'
import { findFileModel, isFileList } from '../../definition/file-fields.ts'
import { parseId } from '../../definition/item-id.ts'
import type { Model, ResourceModel } from '../../definition/model.ts'
import { findNearestName } from '../../definition/name-suggestion.ts'
import { isNested } from '../../definition/nested-resources.ts'
import { maxRouteLength, reservedSegment } from '../../definition/paths.ts'
import { hasElementUris } from '../../definition/relations.ts'
import type { HttpRequest } from '../../http/message.ts'
import { formatPath, type PathTarget, parseTarget } from '../../http/request-target.ts'
import { Refusal, type RefusalOptions, refuse } from '../../refusal.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { isListable } from '../../views/form-input.ts'
import { collectionUri, elementUri, referenceUri, reservedUri } from '../../views/uri.ts'
import type { CoreRequest } from '../context/core-request.ts'
import {
  type ActionTarget,
  type CollectionTarget,
  type Document,
  type DocumentTable,
  type ItemTarget,
  maxTargetLength,
  outsideBase,
  type ParentTarget,
  type StoredFileTarget,
  type Target,
} from '../context/target.ts'
import { ownAndRevalidated, readsOtherResources, varyOf } from '../respond/cacheability.ts'
import { movedPermanently } from '../respond/early-response.ts'

/** The target; refuses 414, 400 and 404, redirects with 301 to the current name of the resource. */
export function resolveTarget(model: Model, documents: DocumentTable, request: CoreRequest): Target {
  if (request.resolved) return request.resolved
  if (request.target.length > maxTargetLength) {
    throw refuse('uri-too-long', {
      detail: `The target may have at most ${maxTargetLength} octets.`,
    })
  }
  const parsed = parseTarget(request.target)
  if (parsed.kind === 'malformed') throw refuse('malformed-request', { detail: parsed.reason })
  if (parsed.kind === 'asterisk') return { kind: 'asterisk', path: '*', query: undefined, route: '*' }
  const segments = withoutBase(model.base, parsed.segments)
  if (parsed.hasDotSegments) throw notFound(undefined)
  if (!segments) return findOutside(documents, parsed)
  const target = findTarget({ model, documents }, segments, request, parsed)
  if (!target) throw new UnknownPath(model, segments)
  if (hasFormerName(model, segments)) throw redirectTo(target)
  if (parsed.hasTrailingSlash && parsed.segments.length > 0) {
    // A 301 may change other methods to GET.
    if (request.method === 'GET' || request.method === 'HEAD') throw redirectTo(target)
    throw notFound(target.path)
  }
  return target
}

/** The document for all paths outside of the base; refuses 404 where the service has none. */
function findOutside(documents: DocumentTable, { segments, query }: PathTarget): Target {
  const document = documents.get(outsideBase)
  if (!document) throw notFound(undefined)
  const { route } = document
  return { kind: 'document', document, route, parameter: undefined, path: formatPath('', segments), query }
}

/**
 * Whether a path is outside of the base of the service, where a site is. Malformed paths count too: a development
 * server has names of files that contain `[` and `|`, which browsers send as they are.
 */
export function isOutsideBase(base: string, target: string): boolean {
  const parsed = parseTarget(target)
  if (parsed.kind === 'malformed') return target.startsWith('/') && !target.startsWith(`${base}/`)
  return parsed.kind === 'path' && !parsed.hasDotSegments && withoutBase(base, parsed.segments) === undefined
}

/** The segments below the base path; undefined when the path is not below it. */
export function withoutBase(base: string, segments: readonly string[]): readonly string[] | undefined {
  if (base === '') return segments
  const baseSegments = base.slice(1).split('/')
  if (baseSegments.some((segment, index) => segments[index] !== segment)) return undefined
  return segments.slice(baseSegments.length)
}

function findTarget(
  { model, documents }: { readonly model: Model; readonly documents: DocumentTable },
  segments: readonly string[],
  request: HttpRequest,
  { query, normalPath }: RequestPath,
): Target | undefined {
  const reserved = segments.indexOf(reservedSegment)
  if (reserved >= 0) return findReserved({ model, documents }, segments, request, { query, normalPath })
  const [first = '', id] = segments
  const resource = model.resources.get(first) ?? model.formerNames.get(first)
  if (!resource) {
    return (
      findServiceAction(model, segments, query) ?? findDocumentTarget({ model, documents }, segments, query)
    )
  }
  const further = (read: ResourceModel) => ({
    query,
    readsOtherResources: readsOtherResources(request, read, query),
  })
  if (segments.length === 1) {
    const path = collectionUri(model, resource)
    return {
      kind: 'collection',
      resource,
      parent: undefined,
      path,
      route: routesOf(resource).collection,
      ...further(resource),
    }
  }
  if (!id) return undefined
  const action = resource.actions.size === 0 ? undefined : findAction({ model, resource, query }, segments)
  if (action) return action
  const present = first === resource.name ? normalPath : undefined
  const place: ItemPlace = { model, documents, resource, id, query, present, further }
  if (segments.length > 2) return findBelowItem(place, segments)
  const link = isInvitationLink(resource, id, request.method)
    ? findDocumentTarget({ model, documents }, segments, query)
    : undefined
  if (link) return link
  const path = present ?? referenceUri(model, resource, id)
  return { kind: 'item', resource, id, path, route: routesOf(resource).item, ...further(resource) }
}

type RequestPath = Pick<PathTarget, 'query' | 'normalPath'>

/** A resource of the service below an item or a list, or a document that is below `/-/`. */
function findReserved(
  place: { readonly model: Model; readonly documents: DocumentTable },
  segments: readonly string[],
  request: HttpRequest,
  { query, normalPath }: RequestPath,
): Target | undefined {
  const file = findStoredFile(place.model, segments, query)
  if (file) return file
  const above = segments.slice(0, -2)
  const [segment, name = ''] = segments.slice(-2)
  if (segment !== reservedSegment || above.includes(reservedSegment)) return undefined
  if (above.length === 0) return findDocumentTarget(place, segments, query)
  const pathAbove = normalPath?.slice(0, -reservedUri('', name).length)
  const found = findTarget(place, above, request, { query, normalPath: pathAbove })
  if (!found) return undefined
  const at = { path: reservedUri(found.path, name), route: reservedUri(found.route, name) }
  if (name === 'links' && hasLinks(found)) return { ...found, ...at, below: name }
  const isBelowList = name === 'aggregate' || name === 'events'
  return isBelowList && isList(found) ? { ...found, ...at, below: name } : undefined
}

/** The file that the segments name by its content: `{collection}/{id}/-/files/{key}`. */
function findStoredFile(
  model: Model,
  [first = '', id, ...below]: readonly string[],
  query: string | undefined,
): StoredFileTarget | undefined {
  const resource = model.resources.get(first) ?? model.formerNames.get(first)
  const key = findStoredKey(below)
  if (!id || key === undefined || !resource?.itemMethods.has('GET')) return undefined
  if (!resource.fields.some(findFileModel)) return undefined
  return {
    kind: 'storedFile',
    resource,
    id,
    key,
    path: formatPath(reservedUri(referenceUri(model, resource, id), 'files'), [key]),
    query,
    route: `/${resource.name}/{id}/${reservedSegment}/files/{file}`,
    readsOtherResources: false,
  }
}

/** The key in the segments after the id of an item, `-/files/{key}`; undefined where they name no file. */
export function findStoredKey([segment, name, key, ...rest]: readonly string[]): string | undefined {
  if (segment !== reservedSegment || name !== 'files' || rest.length > 0) return undefined
  return key === '' ? undefined : key
}

function hasLinks(target: Target): target is ItemTarget | CollectionTarget {
  if (target.kind === 'item') return target.ownAction === undefined && target.resource.itemMethods.has('GET')
  return isList(target)
}

function isList(target: Target): target is CollectionTarget {
  return target.kind === 'collection' && target.resource.collectionMethods.has('GET')
}

interface TargetPlace {
  readonly model: Model
  readonly resource: ResourceModel
  readonly query: string | undefined
}

interface ItemPlace extends TargetPlace {
  readonly documents: DocumentTable
  readonly id: string
  /** The path of the request, unless it has a former name. */
  readonly present: string | undefined
  /** The members of a target that depend on the resource that is read. */
  further(read: ResourceModel): Pick<CollectionTarget, 'query' | 'readsOtherResources'>
}

/** A document, an action, a sub-collection or an item of it, a file, or an element of a set. */
function findBelowItem(place: ItemPlace, segments: readonly string[]): Target | undefined {
  const { model, documents, resource, id, query, present, further } = place
  const [, , ...below] = segments
  const [name = ''] = below
  const pathBelow = () => present ?? formatPath(referenceUri(model, resource, id), below)
  const document = resource.history && documents.get(itemDocumentRoute(segments))
  if (document) {
    const item = { resource, id }
    const route = document.route.replace('{collection}', resource.name)
    return { kind: 'document', document, item, parameter: below[1], path: pathBelow(), query, route }
  }
  const { item: itemRoute } = routesOf(resource)
  if (below.length === 1 && findOwnAction(resource.traits, name)) {
    const route = `${itemRoute}/${name}`
    return { kind: 'item', resource, id, ownAction: name, path: pathBelow(), route, ...further(resource) }
  }
  const relation = resource.relations.get(name)
  if (relation?.kind !== 'inverse') {
    return below.length > 2 ? undefined : (findFile(place, segments) ?? findElement(place, segments))
  }
  const parent = { resource, id, relation }
  if (below.length > 1) {
    const nested = findNestedItem(parent, below.slice(1))
    return nested && { ...nested, path: pathBelow(), ...further(relation.target) }
  }
  return {
    kind: 'collection',
    resource: relation.target,
    parent,
    path: pathBelow(),
    route: `${itemRoute}/${relation.name}`,
    ...further(relation.target),
  }
}

/** Whether the segment is the secret of an invitation, complete or not. A link is not deleted, an invitation is. */
function isInvitationLink(resource: ResourceModel, segment: string, method: string): boolean {
  return (
    resource.traits.linkSecrets === true && method !== 'DELETE' && parseId(resource, segment) === undefined
  )
}

/** The action or query of the service itself that the only segment names. */
function findServiceAction(
  { base, service }: Model,
  segments: readonly string[],
  query: string | undefined,
): ActionTarget | undefined {
  const [name = ''] = segments
  const action = segments.length === 1 ? service?.actions.get(name) : undefined
  if (!service || !action) return undefined
  return {
    kind: 'action',
    resource: service,
    action,
    id: undefined,
    path: formatPath(base, [name]),
    query,
    route: `/${name}`,
    readsOtherResources: false,
  }
}

/** The action that the last segment names. */
function findAction(
  { model, resource, query }: TargetPlace,
  [, ...below]: readonly string[],
): ActionTarget | undefined {
  const action = resource.actions.get(below.at(-1) ?? '')
  const isItem = action?.on === 'item'
  if (!action || below.length !== (isItem ? 2 : 1)) return undefined
  return {
    kind: 'action',
    resource,
    action,
    id: isItem ? below[0] : undefined,
    path: formatPath(collectionUri(model, resource), below),
    query,
    route: isItem ? `/${resource.name}/{id}/${action.name}` : `/${resource.name}/${action.name}`,
    readsOtherResources: false,
  }
}

/** The file, or the list of files, that the segments name. */
function findFile(
  { model, resource, query }: TargetPlace,
  [, id, name = '', fileId]: readonly string[],
): Target | undefined {
  const field = resource.fieldByName.get(name)
  if (!id || !field || !findFileModel(field)) return undefined
  if (fileId !== undefined && (fileId === '' || !isFileList(field))) return undefined
  const route = `/${resource.name}/{id}/${name}`
  return {
    kind: 'file',
    resource,
    id,
    field,
    fileId,
    path: formatPath(referenceUri(model, resource, id), fileId === undefined ? [name] : [name, fileId]),
    query,
    route: fileId === undefined ? route : `${route}/{file}`,
    readsOtherResources: false,
  }
}

/** The element of a set of references that the segments name. */
function findElement(
  { model, resource, query }: TargetPlace,
  [, id, name = '', element]: readonly string[],
): Target | undefined {
  const field = resource.fieldByName.get(name)
  if (!id || !element || !field || !hasElementUris(resource, field)) return undefined
  return {
    kind: 'element',
    resource,
    id,
    field,
    element,
    path: elementUri(model, { resource, id, name }, element),
    query,
    route: `/${resource.name}/{id}/${name}/{element}`,
    readsOtherResources: false,
  }
}

/** The route of a document below an item: `/{}/{}/history`, or `/{}/{}/history/{}`. */
function itemDocumentRoute([, , name, parameter, ...rest]: readonly string[]): string {
  if (rest.length > 0 || parameter === '') return ''
  return `/{}/{}/${name}${parameter === undefined ? '' : '/{}'}`
}

/** An item that has its URI below another one, or an action on it. */
function findNestedItem(within: ParentTarget, [id = '', name, ...rest]: readonly string[]) {
  const { target } = within.relation
  if (!isNested(target) || id === '' || rest.length > 0) return undefined
  if (name !== undefined && !findOwnAction(target.traits, name)) return undefined
  const route = `/${within.resource.name}/{id}/${within.relation.name}/{below}`
  return {
    kind: 'item',
    resource: within.relation.target,
    id,
    within,
    ownAction: name,
    route: name === undefined ? route : `${route}/${name}`,
  } as const
}

const routesOf = memoizeByObject(({ name }: ResourceModel) => ({
  collection: `/${name}`,
  item: `/${name}/{id}`,
}))

function hasFormerName(model: Model, segments: readonly string[]): boolean {
  const [first = ''] = segments
  return !model.resources.has(first) && model.formerNames.has(first)
}

function redirectTo(target: Target) {
  return movedPermanently(withQuery(target.path, target), redirectFields(target))
}

function withQuery(path: string, { query }: Target): string {
  return query === undefined ? path : `${path}?${query}`
}

function redirectFields(target: Target) {
  return { 'Cache-Control': 'no-cache', Vary: varyOf(target) }
}

function notFound(suggestion: string | undefined) {
  return refuse('not-found', notFoundOptions(suggestion))
}

function notFoundOptions(suggestion: string | undefined): RefusalOptions {
  const detail = "This page doesn't exist."
  return { detail: suggestion === undefined ? detail : `${detail} Did you mean ${suggestion}?` }
}

/** The 404 of a path that leads nowhere. It names the nearest one that the home document shows to everyone. */
export class UnknownPath extends Refusal {
  readonly #model: Model
  readonly #segments: readonly string[]

  constructor(model: Model, segments: readonly string[]) {
    super('not-found', notFoundOptions(suggestCollection(model, segments, anonymous)))
    this.#model = model
    this.#segments = segments
  }

  /** The same for a caller that is known, whose home document may show more. */
  for(caller: Principal): Refusal {
    return refuse('not-found', {
      ...notFoundOptions(suggestCollection(this.#model, this.#segments, caller)),
      fields: { 'Cache-Control': ownAndRevalidated },
    })
  }
}

/** The path with the nearest name of a collection that the caller may list. */
function suggestCollection(
  model: Model,
  [first = '', ...below]: readonly string[],
  caller: Principal,
): string | undefined {
  if (below.length > 1 || below[0] === '' || model.resources.has(first)) return undefined
  const listed = [...model.resources.values()].filter((resource) => isListable(resource, caller))
  const nearest = findNearestName(
    first,
    listed.map(({ name }) => name),
  )
  return nearest === undefined ? undefined : formatPath(model.base, [nearest, ...below])
}

interface FoundDocument {
  readonly document: Document
  readonly route: string
  readonly parameter: string | undefined
}

function findDocumentTarget(
  { model, documents }: { readonly model: Model; readonly documents: DocumentTable },
  segments: readonly string[],
  query: string | undefined,
): Target | undefined {
  const found = findDocument(documents, segments)
  return found && { kind: 'document', ...found, path: formatPath(model.base, segments), query }
}

/** The document whose route matches the decoded segments. */
function findDocument(documents: DocumentTable, segments: readonly string[]): FoundDocument | undefined {
  const exact = documents.get(`/${segments.join('/')}`)
  if (exact && segments.every(isFixedSegment)) {
    return { document: exact, route: exact.route, parameter: undefined }
  }
  const [first = '', parameter, ...rest] = segments
  const mayHaveParameter = parameter && rest.length <= 1 && [first, ...rest].every(isFixedSegment)
  const document = mayHaveParameter ? documents.get(['', first, '{}', ...rest].join('/')) : undefined
  return document ? { document, route: document.route, parameter } : findPrefix(documents, segments)
}

/** The document with the longest route that ends in `/*` and matches, with at least one more segment. */
function findPrefix(documents: DocumentTable, segments: readonly string[]): FoundDocument | undefined {
  let found: Document | undefined
  let prefix = ''
  for (const [index, segment] of segments.slice(0, -1).entries()) {
    prefix += `/${segment}`
    if (!isFixedSegment(segment) || prefix.length > maxRouteLength) break
    if (segments[index + 1] !== '') found = documents.get(`${prefix}/*`) ?? found
  }
  return found && { document: found, route: found.route, parameter: undefined }
}

/** After joining, an empty segment, one with an encoded slash or one in braces would match another route. */
function isFixedSegment(segment: string): boolean {
  return segment !== '' && !/[/{]/.test(segment)
}
