/**
 * An LRU cache of responses to GET of lists that every caller sees alike. An entry is valid while the
 * tables it shows have the same revisions, which every request reads: a cached response is octet for
 * octet the one that would be created again.
 */

import type { HttpResponse } from '../../http/message.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ResponseCache } from '../context/service-context.ts'
import type { CurrentState, ResponseCacheKey } from './current-state.ts'

const maxCacheOctets = 16 * 1024 * 1024
const maxEntryOctets = 128 * 1024
const maxNames = 1000

interface CacheEntry {
  readonly revisions: string
  readonly response: HttpResponse
  readonly octets: number
}

/** An empty cache of at most about `maxOctets`. It stores only responses that were requested twice. */
export function createResponseCache(maxOctets = maxCacheOctets): ResponseCache {
  const entries = new Map<string, CacheEntry>()
  const requestedOnce = new Set<string>()
  let used = 0

  /** Most responses are requested once only; storing them would evict the others. */
  function isRepeated(name: string): boolean {
    if (entries.has(name) || requestedOnce.has(name)) return true
    if (requestedOnce.size >= maxNames) requestedOnce.clear()
    requestedOnce.add(name)
    return false
  }

  function remove(name: string, entry: CacheEntry): void {
    entries.delete(name)
    used -= entry.octets
  }

  return {
    get(name, revisions) {
      const entry = entries.get(name)
      if (!entry) return undefined
      entries.delete(name)
      entries.set(name, entry)
      if (entry.revisions === revisions) return entry.response
      remove(name, entry)
      return undefined
    },
    put(name, revisions, response) {
      if (!isRepeated(name)) return
      const octets = octetsOf(name, response)
      if (octets > maxEntryOctets) return
      const earlier = entries.get(name)
      if (earlier) remove(name, earlier)
      entries.set(name, { revisions, response, octets })
      used += octets
      for (const [oldest, entry] of entries) {
        if (used <= maxOctets) break
        remove(oldest, entry)
      }
    },
  }
}

/** The response that is cached for this state; undefined unless the tables it shows are unchanged. */
export function findCachedResponse(
  { service: { responseCache } }: RequestContext,
  current: CurrentState,
): HttpResponse | undefined {
  const key = current.kind === 'unloaded-page' ? current.cacheKey : undefined
  return key && responseCache.get(key.name, key.revisions)
}

/** Keeps the response to a request for this state, where it may be cached. */
export function cacheResponse(
  { service: { responseCache } }: RequestContext,
  current: CurrentState,
  response: HttpResponse,
): void {
  const key = current.kind === 'unloaded-page' ? current.cacheKey : undefined
  if (key) responseCache.put(key.name, key.revisions, response)
}

/** The key of the response to this request; undefined when it is not cached, as with preferences. */
export function responseCacheKey(
  { method, preferences, caller, hasCookie, format, coding, target }: RequestContext,
  page: string,
  revisions: readonly number[],
): ResponseCacheKey | undefined {
  if (method !== 'GET' || preferences.size > 0) return undefined
  const sent = `${format.name} ${format.variant}\n${coding.coding}\n${coding.isRequired}`
  // The query as it was sent: Content-Location depends on whether it names a format.
  const name = `${caller.kind}\n${hasCookie === true}\n${sent}\n${target.path}\n${target.query}\n${page}`
  return { name, revisions: revisions.join() }
}

/** Two octets for each UTF-16 unit, plus an estimate of the entry itself. */
function octetsOf(name: string, { fields, body = '' }: HttpResponse): number {
  if (typeof body === 'object' && !(body instanceof Uint8Array)) return Number.POSITIVE_INFINITY
  const texts = Object.values(fields).flat()
  return 500 + 2 * (name.length + texts.join('').length) + body.length
}
