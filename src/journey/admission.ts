/** The decisions that need only the request line: may this be asked here at all? */

import { allowAdmin, allowAtAll, beyondScope } from '../access/authorize.ts'
import { type Principal, scopesOf } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import { permits, type Right } from '../access/scopes.ts'
import type { Model, ResourceModel } from '../declare/model.ts'
import type { HttpRequest, HttpResponse, ResponseFields } from '../http/message.ts'
import { knownMethods } from '../http/method.ts'
import { preflightFields } from '../http/origin.ts'
import { oncePer } from '../once.ts'
import { refuse, unavailable } from '../refusal.ts'
import { any, type Condition } from '../store/condition.ts'
import { varyOf } from './cacheability.ts'
import { isForOperators } from './caller.ts'
import { acceptedTypes } from './content.ts'
import type { Context } from './context.ts'
import type { Document } from './document.ts'
import type { Target } from './target.ts'

const documentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** 503 where there is more to do than can be done, then 501, before anything else is judged. */
export function recognise({ model, overload }: Context, request: HttpRequest): void {
  if (overload.isOver() && !isForOperators(request.target.slice(model.base.length))) {
    throw overloaded()
  }
  if (!knownMethods.has(request.method)) {
    throw refuse('not-implemented', { detail: 'Method names are case-sensitive.' })
  }
}

/** Once more before a list is loaded, for requests that begin together are all recognised first. */
export function refuseWhenLate({ overload }: Context): void {
  if (overload.isLate()) throw overloaded()
}

function overloaded() {
  return unavailable('The service is overloaded.')
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'QUERY' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** The method, where the target offers it; else 405 with Allow. */
export function admit(target: Target, request: HttpRequest): Method {
  if (methodsOf(target).has(request.method)) return request.method as Method
  throw refuse('method-not-allowed', {
    detail: `${request.method} is not offered here.`,
    fields: { Allow: allowOf(target) },
  })
}

/** OPTIONS (RFC 9110 §9.3.7): what can be done here, the same for every caller. */
export function options({ model }: Context, target: Target, request: HttpRequest): HttpResponse {
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
export function allow(model: Model, who: Principal, method: Method, target: Target): void {
  if (target.kind === 'asterisk') return
  if (target.kind === 'document') {
    if (target.document.audience === 'admin') allowAdmin(model, who, target.route.slice(1))
    return
  }
  const rights = rightsOf(target.resource, who)
  const right = rightFor(method, rights)
  // Whether there is an item to replace or one to make is not known yet.
  const makes = method === 'PUT' && target.resource.put === 'create'
  const allowed = makes ? any([right, rights.create]) : right
  if (allowed.kind === 'never') allowScope(who, target.resource, rightNames[method])
  allowAtAll(allowed, who)
}

/** Where it is the token that lacks something, its holder is told what. */
function allowScope(who: Principal, { name }: ResourceModel, right: Right): void {
  const scopes = scopesOf(who)
  if (scopes && !permits(scopes, name, right)) throw beyondScope(`${name}:${right}`)
}

/** The right that a method needs. */
export function rightFor(method: Method, rights: Rights): Condition {
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

const methodsOfDocument = oncePer(({ methods }: Document): ReadonlySet<string> => {
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
