/** The decisions that need only the request line: may this be asked here at all? */

import { beyondScope, requireAdmin, requirePossible } from '../access/authorize.ts'
import { type Principal, scopesOf } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import { permits, type Right } from '../access/scopes.ts'
import type { Method } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Document, Target } from '../context/target.ts'
import type { Model, ResourceModel } from '../definition/model.ts'
import type { HttpRequest, HttpResponse, ResponseFields } from '../http/message.ts'
import { knownMethods } from '../http/method.ts'
import { preflightFields } from '../http/origin.ts'
import { refuse, unavailable } from '../refusal.ts'
import { varyOf } from '../respond/cacheability.ts'
import { any, type Condition } from '../store/condition.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { isOperatorPath } from './caller-limits.ts'
import { acceptedTypes } from './content.ts'

const documentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** 503 where there is more to do than can be done, then 501, before anything else is judged. */
export function requireCapacityAndKnownMethod(
  { model, overload }: ServiceContext,
  request: HttpRequest,
): void {
  if (overload.isOver() && !isOperatorPath(request.target.slice(model.base.length))) {
    throw overloaded()
  }
  if (!knownMethods.has(request.method)) {
    throw refuse('not-implemented', { detail: 'Method names are case-sensitive.' })
  }
}

/** Once more before a list is loaded, for requests that begin together are all recognised first. */
export function refuseWhenOverloaded({ overload }: ServiceContext): void {
  if (overload.isLate()) throw overloaded()
}

function overloaded() {
  return unavailable('The service is overloaded.')
}

/** The method, where the target offers it; else 405 with Allow. */
export function requireAllowedMethod(target: Target, request: HttpRequest): Method {
  if (methodsOf(target).has(request.method)) return request.method as Method
  throw refuse('method-not-allowed', {
    detail: `${request.method} is not offered here.`,
    fields: { Allow: allowOf(target) },
  })
}

/** OPTIONS (RFC 9110 §9.3.7): what can be done here, the same for every caller. */
export function respondToOptions(
  { model }: ServiceContext,
  target: Target,
  request: HttpRequest,
): HttpResponse {
  const Allow = allowOf(target)
  const fields: ResponseFields = {
    Allow,
    'Cache-Control': 'no-cache',
    Vary: varyOf(target),
    ...preflightFields(model.origins, request.fields, Allow),
  }
  if (target.kind === 'collection' && target.resource.collectionMethods.has('POST')) {
    fields['Accept-Post'] = acceptedTypes('POST', target).join(', ')
  }
  if (target.kind === 'collection' && target.resource.collectionMethods.has('QUERY')) {
    fields['Accept-Query'] = acceptedTypes('QUERY', target).join(', ')
  }
  if (target.kind === 'item' && target.resource.itemMethods.has('PATCH')) {
    fields['Accept-Patch'] = acceptedTypes('PATCH', target).join(', ')
  }
  return { status: 204, fields }
}

/** Refuses a caller whom no record could let pass: 401, 403. */
export function requirePermission(
  model: Model,
  caller: Principal,
  method: Method,
  target: Target,
): void {
  if (target.kind === 'asterisk') return
  if (target.kind === 'document') {
    if (target.document.audience === 'admin') requireAdmin(model, caller, target.route.slice(1))
    return
  }
  const rights = rightsOf(target.resource, caller)
  const right = rightForMethod(method, rights)
  // Whether there is an item to replace or one to make is not known yet.
  const makes = method === 'PUT' && target.resource.put === 'create'
  const allowed = makes ? any([right, rights.create]) : right
  if (allowed.kind === 'never') allowScope(caller, target.resource, rightNames[method])
  requirePossible(allowed, caller)
}

/** Where it is the token that lacks something, its holder is told what. */
function allowScope(caller: Principal, { name }: ResourceModel, right: Right): void {
  const scopes = scopesOf(caller)
  if (scopes && !permits(scopes, name, right)) throw beyondScope(`${name}:${right}`)
}

/** The right that a method needs. */
export function rightForMethod(method: Method, rights: Rights): Condition {
  return rights[rightNames[method]]
}

const rightNames: Readonly<Record<Method, Right>> = {
  GET: 'read',
  HEAD: 'read',
  QUERY: 'read',
  OPTIONS: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
}

function methodsOf(target: Target): ReadonlySet<string> {
  switch (target.kind) {
    case 'asterisk':
      return serverMethods
    case 'document':
      return methodsOfDocument(target.document)
    case 'collection':
      return target.resource.collectionMethods
    case 'item':
      return target.resource.itemMethods
  }
}

const methodsOfDocument = memoizeByObject(({ methods }: Document): ReadonlySet<string> => {
  return methods ? new Set([...documentMethods, ...methods]) : documentMethods
})

/** `OPTIONS *` asks about the server as a whole (§9.3.7). */
const serverMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'QUERY',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

function allowOf(target: Target): string {
  return [...methodsOf(target)].join(', ')
}
