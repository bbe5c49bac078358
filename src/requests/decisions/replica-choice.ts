/**
 * Chooses between the primary database and a replica. A response that caches may store for a time may
 * be read from a replica that lags by at most that time.
 */

import { maxAcceptedAge } from '../../http/cache-control.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { RequestContext } from '../context/request-context.ts'
import { withStore } from '../context/service-context.ts'

/** The request, with a replica as its store when both the definition and the client allow the lag. */
export function withReplicaStore(context: RequestContext, { fields }: HttpRequest): RequestContext {
  const { unit, target, caller, method, format } = context
  if (unit.store.replica === undefined || caller.kind !== 'anonymous') return context
  if (method !== 'GET' && method !== 'HEAD') return context
  // A personal representation is revalidated.
  if (!('resource' in target) || !target.resource.cache || format.isPersonal) return context
  const { maxAge, compositeMaxAge = 0 } = target.resource.cache
  const lifetime = target.readsOtherResources ? Math.min(maxAge, compositeMaxAge) : maxAge
  const seconds = Math.min(lifetime, maxAcceptedAge(fields['cache-control']))
  const store = seconds > 0 ? unit.store.replica(seconds) : undefined
  return store === undefined ? context : { ...context, unit: withStore(unit, store) }
}
