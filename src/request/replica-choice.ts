/**
 * Where an answer is read from. One that caches may keep for a while may as well be read from a
 * database that is as long behind; no other may.
 */

import type { NegotiatedRequest } from '../context/request-context.ts'
import { maxAcceptedAge } from '../http/cache-control.ts'
import type { HttpRequest } from '../http/message.ts'

/** The same errand, on a store that may lag where the definition and the client both allow it. */
export function chooseStore(
  negotiated: NegotiatedRequest,
  { fields }: HttpRequest,
): NegotiatedRequest {
  const { service, target, caller, method, format } = negotiated
  if (service.store.replica === undefined || caller.kind !== 'anonymous') return negotiated
  if (method !== 'GET' && method !== 'HEAD') return negotiated
  // Pages for people are made for one reader, and are not kept.
  if (!('resource' in target) || !target.resource.cache || format.isHtml) return negotiated
  const seconds = Math.min(target.resource.cache.maxAge, maxAcceptedAge(fields['cache-control']))
  const store = seconds > 0 ? service.store.replica(seconds) : undefined
  return store === undefined ? negotiated : { ...negotiated, service: { ...service, store } }
}
