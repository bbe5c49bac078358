/**
 * Pages as they were sent, for lists that all callers see alike. A page is good for as long as the
 * tables it shows are at the same revisions, which every request looks up: what is recalled is
 * octet for octet what would be made anew.
 */

import type { RequestContext } from '../context/request-context.ts'
import type { ResponseCache } from '../context/service-context.ts'
import type { HttpResponse } from '../http/message.ts'
import type { CurrentState, ResponseCacheKey } from './current-state.ts'

/** In octets, near enough: what all pages may take together, and one of them. */
const mostOctets = 16 * 1024 * 1024
const longestPage = 128 * 1024
const mostNames = 1000

interface KeptPage {
  readonly revisions: string
  readonly response: HttpResponse
  readonly octets: number
}

/** Keeps what is asked for again; beyond its room the page longest unasked is forgotten first. */
export function createResponseCache(room = mostOctets): ResponseCache {
  const pages = new Map<string, KeptPage>()
  const askedOnce = new Set<string>()
  let taken = 0

  /** Most of what is asked once is never asked again, and to keep it would cost all others. */
  function isAskedAgain(name: string): boolean {
    if (pages.has(name) || askedOnce.has(name)) return true
    if (askedOnce.size >= mostNames) askedOnce.clear()
    askedOnce.add(name)
    return false
  }

  function forget(name: string, page: KeptPage): void {
    pages.delete(name)
    taken -= page.octets
  }

  return {
    get(name, revisions) {
      const page = pages.get(name)
      if (!page) return undefined
      pages.delete(name)
      pages.set(name, page)
      if (page.revisions === revisions) return page.response
      forget(name, page)
      return undefined
    },
    put(name, revisions, response) {
      if (!isAskedAgain(name)) return
      const octets = octetsOf(name, response)
      if (octets > longestPage) return
      const earlier = pages.get(name)
      if (earlier) forget(name, earlier)
      pages.set(name, { revisions, response, octets })
      taken += octets
      for (const [oldest, page] of pages) {
        if (taken <= room) break
        forget(oldest, page)
      }
    },
  }
}

/** The response, from the cache where the tables it shows are unchanged. */
export async function withResponseCache(
  { service }: RequestContext,
  current: CurrentState,
  respond: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const key = current.kind === 'unloaded-page' ? current.key : undefined
  if (!key) return respond()
  const cached = service.responseCache.get(key.name, key.revisions)
  if (cached) return cached
  const response = await respond()
  service.responseCache.put(key.name, key.revisions, response)
  return response
}

/** Preferences are left alone: a count is not what its revisions say. */
export function responseCacheKey(
  { method, preferences, caller, format, coding, target }: RequestContext,
  page: string,
  revisions: readonly number[],
): ResponseCacheKey | undefined {
  if (method !== 'GET' || preferences.size > 0) return undefined
  const sent = `${format.name}\n${coding.coding}\n${coding.always}`
  // The query as it was sent: a format that it names is not named by Content-Location.
  const name = `${caller.kind}\n${sent}\n${target.path}\n${target.query}\n${page}`
  return { name, revisions: revisions.join() }
}

/** Two for each unit of text, besides the few that any entry takes. */
function octetsOf(name: string, { fields, body = '' }: HttpResponse): number {
  if (typeof body === 'object' && !(body instanceof Uint8Array)) return Number.POSITIVE_INFINITY
  const texts = Object.values(fields).flat()
  return 500 + 2 * (name.length + texts.join('').length) + body.length
}
