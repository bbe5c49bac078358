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

/** Wraps `respond`: returns the cached response when the tables it shows are unchanged. */
export async function withResponseCache(
  { service: { responseCache } }: RequestContext,
  current: CurrentState,
  respond: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const key = current.kind === 'unloaded-page' ? current.cacheKey : undefined
  if (!key) return respond()
  const cached = responseCache.get(key.name, key.revisions)
  if (cached) return cached
  const response = await respond()
  responseCache.put(key.name, key.revisions, response)
  return response
}

/** The key of the response to this request; undefined when it is not cached, as with preferences, a notice or a view as another account. */
export function responseCacheKey(
  { method, preferences, caller, hasCookie, format, coding, target, notice, viewedAs }: RequestContext,
  page: string,
  revisions: readonly number[],
): ResponseCacheKey | undefined {
  if (method !== 'GET' || preferences.size > 0 || notice || viewedAs) return undefined
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
