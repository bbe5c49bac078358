/** Where a request goes: its target URI against the model, and the methods offered there. */

import {
  type Document,
  type DocumentTable,
  maxTargetLength,
  type Target,
} from '../context/target.ts'
import type { Model, ResourceModel } from '../definition/model.ts'
import type { HttpRequest } from '../http/message.ts'
import { formatPath, type PathTarget, parseTarget } from '../http/request-target.ts'
import { refuse } from '../refusal.ts'
import { readsOtherResources, varyOf } from '../respond/cacheability.ts'
import { movedPermanently } from '../respond/early-response.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { collectionUri, referenceUri } from '../view/uri.ts'

/** The target; refuses 414, 400, 404, and answers 301 where it has another name now. */
export function resolveTarget(
  model: Model,
  documents: DocumentTable,
  request: HttpRequest,
): Target {
  if (request.target.length > maxTargetLength) {
    throw refuse('uri-too-long', { detail: `The target may have ${maxTargetLength} octets.` })
  }
  const parsed = parseTarget(request.target)
  if (parsed.kind === 'malformed') throw refuse('malformed-request', { detail: parsed.reason })
  if (parsed.kind === 'asterisk')
    return { kind: 'asterisk', path: '*', query: undefined, route: '*' }
  const segments = withoutBase(model.base, parsed.segments)
  const target =
    segments &&
    !parsed.hasDotSegments &&
    findTarget({ model, documents }, segments, request, parsed)
  if (!target) throw notFound()
  const former = hasFormerName(model, segments)
  if (former || (parsed.hasTrailingSlash && parsed.segments.length > 0)) {
    redirect(target, request.method, former)
  }
  return target
}

/** The segments below the base path; undefined where they are not below it. */
export function withoutBase(
  base: string,
  segments: readonly string[],
): readonly string[] | undefined {
  if (base === '') return segments
  const own = base.slice(1).split('/')
  if (own.some((segment, index) => segments[index] !== segment)) return undefined
  return segments.slice(own.length)
}

function findTarget(
  { model, documents }: { readonly model: Model; readonly documents: DocumentTable },
  segments: readonly string[],
  request: HttpRequest,
  { query, normalPath }: PathTarget,
): Target | undefined {
  const [first = '', second] = segments
  const resource = model.resources.get(first) ?? model.formerNames.get(first)
  if (!resource) {
    const found = findDocument(documents, segments)
    return found && { kind: 'document', ...found, path: formatPath(model.base, segments), query }
  }
  const further = readsOtherResources(request, query)
  const routes = routesOf(resource)
  if (segments.length === 1) {
    const path = collectionUri(model, resource)
    return {
      kind: 'collection',
      resource,
      path,
      query,
      route: routes.collection,
      readsOtherResources: further,
    }
  }
  if (segments.length !== 2 || !second) return undefined
  const present = first === resource.name
  const path = (present ? normalPath : undefined) ?? referenceUri(model, resource, second)
  return {
    kind: 'item',
    resource,
    id: second,
    path,
    query,
    route: routes.item,
    readsOtherResources: further,
  }
}

const routesOf = memoizeByObject(({ name }: ResourceModel) => ({
  collection: `/${name}`,
  item: `/${name}/{id}`,
}))

function hasFormerName(model: Model, segments: readonly string[]): boolean {
  const [first = ''] = segments
  return !model.resources.has(first) && model.formerNames.has(first)
}

/** A trailing slash redirects only where the method survives it; a former name always does. */
function redirect(target: Target, method: string, former: boolean): never {
  const location = target.query === undefined ? target.path : `${target.path}?${target.query}`
  if (!former && method !== 'GET' && method !== 'HEAD') {
    throw refuse('not-found', { detail: `This page doesn't exist. Did you mean ${target.path}?` })
  }
  throw movedPermanently(location, { 'Cache-Control': 'no-cache', Vary: varyOf(target) })
}

function notFound() {
  return refuse('not-found', { detail: "This page doesn't exist." })
}

interface FoundDocument {
  readonly document: Document
  readonly route: string
  readonly parameter: string | undefined
}

/** The document at a path, given as decoded segments below the base. */
function findDocument(
  documents: DocumentTable,
  segments: readonly string[],
): FoundDocument | undefined {
  const exact = documents.get(`/${segments.join('/')}`)
  // Joined, an empty segment or one with a slash of its own would pass for another path.
  if (exact && !segments.some((segment) => segment === '' || segment.includes('/'))) {
    return { document: exact, route: exact.route, parameter: undefined }
  }
  const [first, parameter, ...rest] = segments
  const document = documents.get(`/${first}/{}`)
  if (!document || !parameter || rest.length > 0) return undefined
  return { document, route: document.route, parameter }
}
