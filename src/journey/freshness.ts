/**
 * Where an answer is read from. One that caches may keep for a while may as well be read from a
 * database that is as long behind; no other may.
 */

import { acceptedAge } from '../http/cache-control.ts'
import type { HttpRequest } from '../http/message.ts'
import type { Asked } from './errand.ts'

/** The same errand, on a store that may lag where the definition and the client both allow it. */
export function readFresh(asked: Asked, { fields }: HttpRequest): Asked {
  const { context, target, who, method, format } = asked
  if (context.store.lagging === undefined || who.kind !== 'anonymous') return asked
  if (method !== 'GET' && method !== 'HEAD') return asked
  // Pages for people are made for one reader, and are not kept.
  if (!('resource' in target) || !target.resource.cache || format.framed) return asked
  const seconds = Math.min(target.resource.cache.maxAge, acceptedAge(fields['cache-control']))
  const store = seconds > 0 ? context.store.lagging(seconds) : undefined
  return store === undefined ? asked : { ...asked, context: { ...context, store } }
}
