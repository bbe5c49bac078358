/** Where a request goes: its target URI against the model, and the methods offered there. */

import type { Model, ResourceModel } from '../declare/model.ts'
import type { HttpRequest } from '../http/message.ts'
import { formatPath, type PathTarget, parseTarget } from '../http/target.ts'
import { oncePer } from '../once.ts'
import { refuse } from '../refusal.ts'
import { collectionUri, referenceUri } from '../view/uri.ts'
import { looksFurther, varyOf } from './cacheability.ts'
import { type Document, findDocument } from './document.ts'
import { moved } from './early.ts'

export type Target = AsteriskTarget | DocumentTarget | CollectionTarget | ItemTarget

export interface AsteriskTarget extends Place {
  readonly kind: 'asterisk'
}

/** One of the service's own resources that is not a collection. */
export interface DocumentTarget extends Place {
  readonly kind: 'document'
  readonly document: Document
  /** The rest of the path, such as the name of a problem type. */
  readonly parameter: string | undefined
}

export interface CollectionTarget extends Place {
  readonly kind: 'collection'
  readonly resource: ResourceModel
  /** Whether what is asked may depend on other resources than this one. */
  readonly looksFurther: boolean
}

export interface ItemTarget extends Place {
  readonly kind: 'item'
  readonly resource: ResourceModel
  readonly id: string
  readonly looksFurther: boolean
}

interface Place {
  /** The path in normal form, and the query as it was sent. */
  readonly path: string
  readonly query: string | undefined
  /** The path with its variable part named, for logs and metrics. */
  readonly route: string
}

/** In octets. */
export const longestTarget = 8192

/** The target; refuses 414, 400, 404, and answers 301 where it has another name now. */
export function locate(model: Model, request: HttpRequest): Target {
  if (request.target.length > longestTarget) {
    throw refuse('uri-too-long', { detail: `The target may have ${longestTarget} octets.` })
  }
  const parsed = parseTarget(request.target)
  if (parsed.kind === 'malformed') throw refuse('malformed-request', { detail: parsed.reason })
  if (parsed.kind === 'asterisk')
    return { kind: 'asterisk', path: '*', query: undefined, route: '*' }
  const segments = withoutBase(model.base, parsed.segments)
  const target = segments && !parsed.dots && findTarget(model, segments, request, parsed)
  if (!target) throw notFound()
  const former = formerName(model, segments)
  if (former || (parsed.trailingSlash && parsed.segments.length > 0)) {
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
  model: Model,
  segments: readonly string[],
  request: HttpRequest,
  { query, normal }: PathTarget,
): Target | undefined {
  const [first = '', second] = segments
  const resource = model.resources.get(first) ?? model.formerNames.get(first)
  if (!resource) {
    const found = findDocument(segments)
    return found && { kind: 'document', ...found, path: formatPath(model.base, segments), query }
  }
  const further = looksFurther(request, query)
  const routes = routesOf(resource)
  if (segments.length === 1) {
    const path = collectionUri(model, resource)
    return {
      kind: 'collection',
      resource,
      path,
      query,
      route: routes.collection,
      looksFurther: further,
    }
  }
  if (segments.length !== 2 || !second) return undefined
  const present = first === resource.name
  const path = (present ? normal : undefined) ?? referenceUri(model, resource, second)
  return {
    kind: 'item',
    resource,
    id: second,
    path,
    query,
    route: routes.item,
    looksFurther: further,
  }
}

const routesOf = oncePer(({ name }: ResourceModel) => ({
  collection: `/${name}`,
  item: `/${name}/{id}`,
}))

function formerName(model: Model, segments: readonly string[]): boolean {
  const [first = ''] = segments
  return !model.resources.has(first) && model.formerNames.has(first)
}

/** A trailing slash redirects only where the method survives it; a former name always does. */
function redirect(target: Target, method: string, former: boolean): never {
  const location = target.query === undefined ? target.path : `${target.path}?${target.query}`
  if (!former && method !== 'GET' && method !== 'HEAD') {
    throw refuse('not-found', { detail: `Nothing is here. Did you mean ${target.path}?` })
  }
  throw moved(location, { 'Cache-Control': 'no-cache', Vary: varyOf(target) })
}

function notFound() {
  return refuse('not-found', { detail: 'Nothing is here.' })
}
