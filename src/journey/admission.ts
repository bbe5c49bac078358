/** The decisions that need only the request line: may this be asked here at all? */

import { allowAdmin, allowAtAll } from '../access/authorize.ts'
import type { Principal } from '../access/principal.ts'
import { type Rights, rightsOf } from '../access/rights.ts'
import type { Model } from '../declare/model.ts'
import type { HttpRequest, HttpResponse, ResponseFields } from '../http/message.ts'
import { knownMethods } from '../http/method.ts'
import { refuse } from '../refusal.ts'
import { any, type Condition } from '../store/condition.ts'
import { varyOf } from './cacheability.ts'
import { acceptedTypes } from './content.ts'
import type { Target } from './target.ts'

const documentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** 501 before anything else is judged. */
export function recognise(request: HttpRequest): void {
  if (!knownMethods.has(request.method)) {
    throw refuse('not-implemented', { detail: 'Method names are case-sensitive.' })
  }
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
export function options(target: Target): HttpResponse {
  const fields: ResponseFields = {
    Allow: allowOf(target),
    'Cache-Control': 'no-cache',
    Vary: varyOf(target),
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
    if (target.document.audience === 'admin') allowAdmin(model, who)
    return
  }
  const rights = rightsOf(target.resource, who)
  const right = rightFor(method, rights)
  // Whether there is an item to replace or one to make is not known yet.
  const makes = method === 'PUT' && target.resource.put === 'create'
  allowAtAll(makes ? any([right, rights.create]) : right, who)
}

/** The right that a method needs. */
export function rightFor(method: Method, rights: Rights): Condition {
  switch (method) {
    case 'POST':
      return rights.create
    case 'PUT':
    case 'PATCH':
      return rights.update
    case 'DELETE':
      return rights.delete
    default:
      return rights.read
  }
}

function methodsOf(target: Target): ReadonlySet<string> {
  switch (target.kind) {
    case 'asterisk':
      return serverMethods
    case 'document':
      return documentMethods
    case 'collection':
      return target.resource.collectionMethods
    case 'item':
      return target.resource.itemMethods
  }
}

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
