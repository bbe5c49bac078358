/** What a response says to caches: Cache-Control and Vary, the same on every outcome of a URI. */

import { anonymous } from '../access/principal.ts'
import { rightsOf } from '../access/rights.ts'
import type { NegotiatedRequest } from '../context/request-context.ts'
import type { Target } from '../context/target.ts'
import type { CacheModel, ResourceModel } from '../definition/model.ts'
import { formatCacheControl } from '../http/cache-control.ts'
import type { HttpRequest } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { parseQueryString } from '../http/query-string.ts'
import type { Representation } from '../representations/representation.ts'
import { memoizeByObject } from '../tools/memoize.ts'

const noStoreStatuses = new Set([401, 403, 428, 429, 431])

export function varyOf(target: Target | undefined): string {
  // Pages say whose they are on every URI, and are therefore kept by nobody but their reader.
  const personal = isPersonal(target) || hasPersonalActions(target)
  const preferred = target?.kind === 'collection'
  if (personal)
    return preferred ? `${varyAlways}, Prefer, ${byCaller}` : `${varyAlways}, ${byCaller}`
  return preferred ? `${varyAlways}, Prefer` : varyAlways
}

const varyAlways = 'Accept, Accept-Encoding'
const byCaller = 'Authorization, Cookie'

/** Of a success: stored and revalidated, unless the definition gives it a time to live. */
export function cacheControlOf({ target, caller, method, format }: NegotiatedRequest): string {
  if (isNeverStored(target)) return noStore
  if (format.isHtml) return ownAndRevalidated
  const personal =
    isPersonal(target) || (format.hypermedia !== undefined && hasPersonalActions(target))
  const cache = 'resource' in target ? target.resource.cache : undefined
  // What a write answers is made for its writer: nobody is to find it at the URI later.
  if (!cache || !safeMethods.has(method) || (personal && caller.kind !== 'anonymous')) {
    return personal ? ownAndRevalidated : revalidated
  }
  return lifetimeOf(cache)
}

const noStore = formatCacheControl({ noStore: true })
/** A stream has no validator, so a stored one could never be revalidated. */
export const streamCacheControl = noStore
const revalidated = formatCacheControl({ noCache: true })
const ownAndRevalidated = formatCacheControl({ private: true, noCache: true })

const lifetimeOf = memoizeByObject(({ shared, maxAge, staleWhileRevalidate }: CacheModel) =>
  formatCacheControl({
    private: !shared,
    maxAge,
    ...(staleWhileRevalidate === undefined ? {} : { staleWhileRevalidate }),
  }),
)

/** Of an error, or 301: 301, 404, 405, 410, 414 and 501 would be kept by heuristics if nothing were said. */
export function cacheControlOfError(
  status: number,
  target: Target | undefined,
  format?: Representation,
): string {
  if (isNeverStored(target) || noStoreStatuses.has(status) || status >= 500) return noStore
  return isPersonal(target) || format?.isHtml === true ? ownAndRevalidated : revalidated
}

function isNeverStored(target: Target | undefined): boolean {
  if (target === undefined) return false
  if (target.kind === 'document') return target.document.cache === 'no-store'
  return mayReturnSecret(target)
}

/** Whether what is sent here may be a credential. */
export function mayReturnSecret(target: Target): boolean {
  return 'resource' in target && target.resource.builtIn === 'tokens'
}

/** Whether two callers may get different answers here. */
function isPersonal(target: Target | undefined): boolean {
  if (!target || target.kind === 'asterisk') return false
  if (target.kind === 'document') return target.document.personal
  if (isPersonalResource(target.resource)) return true
  return target.readsOtherResources && reachesPersonal(target.resource)
}

/** Whether a query may look at other resources: by embedding, or through a reference. */
export function readsOtherResources({ method }: HttpRequest, query: string | undefined): boolean {
  if (method === 'QUERY') return true
  if (query === undefined) return false
  const pairs = parseQueryString(query) ?? []
  return pairs.some(([name]) => name === 'embed' || name.includes('.'))
}

/** Whether anything that a resource refers to, and what that refers to, differs by caller. */
const reachesPersonal = memoizeByObject((resource: ResourceModel): boolean => {
  const reached = new Set([resource])
  for (const one of reached) {
    for (const { ref } of one.fields) if (ref) reached.add(ref.resource)
  }
  return [...reached].some(isPersonalResource)
})

/** Whether formats that show what may be done here show it differently from caller to caller. */
function hasPersonalActions(target: Target | undefined): boolean {
  return target !== undefined && 'resource' in target && hasDifferentOffers(target.resource)
}

const hasDifferentOffers = memoizeByObject(({ access }: ResourceModel): boolean =>
  Object.values(access).some(({ kind }) => kind !== 'anyone' && kind !== 'nobody'),
)

const isPersonalResource = memoizeByObject((resource: ResourceModel): boolean => {
  const { read } = rightsOf(resource, anonymous)
  return read.kind !== 'always' || resource.fields.some((field) => field.visibleTo)
})
