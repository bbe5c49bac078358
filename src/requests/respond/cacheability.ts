/** Cache-Control and Vary (RFC 9111). Vary is the same on every response of a URI. */

import { anonymous } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import type { DerivedModel, ResourceModel } from '../../definition/model.ts'
import type { CacheModel } from '../../definition/option-models.ts'
import { needsCaller, type Rule } from '../../definition/rule.ts'
import type { Format } from '../../formats/format.ts'
import { formats } from '../../formats/formats.ts'
import { formatCacheControl } from '../../http/cache-control.ts'
import type { HttpRequest, ResponseFields } from '../../http/message.ts'
import { safeMethods } from '../../http/method.ts'
import { parseQueryString } from '../../http/query-string.ts'
import { versionParameter } from '../../query/query-parameter.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import type { Composition } from '../../views/composition.ts'
import type { RequestContext } from '../context/request-context.ts'
import {
  type ActionTarget,
  type FileTarget,
  isFileTarget,
  isListFeed,
  isMadeFile,
  type StoredFileTarget,
  type Target,
} from '../context/target.ts'
import { namedFormat } from './offered-formats.ts'

const noStoreStatuses = new Set([401, 403, 428, 429, 431])

/** The value of Vary: the same for every response of the URI, whatever its format. */
export function varyOf(target: Target | undefined): string {
  if (isFileTarget(target) || isMadeFile(target)) return isPersonal(target) ? `Accept, ${byCaller}` : 'Accept'
  const named = target && namedFormat(target)
  // Accept can contradict a version in the URI.
  const negotiates = named === undefined || target?.query?.includes(versionParameter) === true
  // HTML pages show the caller on every URI; they are `private` instead.
  const personal = isPersonal(target) || (!isPlainFormat(named) && hasPersonalActions(target))
  let vary = negotiates ? 'Accept, Accept-Encoding' : 'Accept-Encoding'
  if (isTranslated(target)) vary += ', Accept-Language'
  if (target?.kind === 'collection' && target.below !== 'links' && !isListFeed(target)) vary += ', Prefer'
  return personal ? `${vary}, ${byCaller}` : vary
}

/** Vary of the content of a file, which is the same whatever Accept says. Problems at its URI vary by it. */
export function varyOfFile(target: FileTarget | StoredFileTarget): ResponseFields {
  return isPersonal(target) ? { Vary: byCaller } : {}
}

/** RFC 9111 §5.2.2.6: a transformed file would not have its digest. */
export function fileCacheControl(context: RequestContext<FileTarget | StoredFileTarget>): string {
  const { target } = context
  if (target.kind === 'file' || isNeverStored(target)) return `${cacheControlOf(context)}, no-transform`
  return formatCacheControl({
    private: isPersonal(target),
    noTransform: true,
    maxAge: storedFileAge,
    immutable: true,
  })
}

/** Seconds. For so long, a cache may still have a file that its reader must not have any more, or that was erased. */
const storedFileAge = 86_400

/** Whether content in the format has no links and actions, which may depend on the caller. */
function isPlainFormat(named: string | undefined): boolean {
  return named !== undefined && plainFormats.has(named)
}

const plainFormats = namesOf(formats.filter(({ hypermedia }) => hypermedia === undefined))
const translatedFormats = namesOf(formats.filter(({ isTranslated }) => isTranslated))

function namesOf(some: readonly Format[]): ReadonlySet<string> {
  return new Set(some.map(({ name }) => name))
}

const byCaller = 'Authorization, Cookie'

/** Whether a response of the URI can be in the language of the reader: the URI names no other format, and is not that of an asset. */
function isTranslated(target: Target | undefined): boolean {
  if (target && isLinkset(target)) return false
  if (target?.kind === 'document' && target.document.formats) {
    const { formats, isTranslated } = target.document
    return isTranslated === true || formats.some((format) => format.isTranslated)
  }
  const named = target && namedFormat(target)
  return named === undefined || translatedFormats.has(named)
}

/** Whether the content has links and actions, which may depend on the caller. */
function showsLinks({ hypermedia }: Format, target: Target): boolean {
  return hypermedia !== undefined || isLinkset(target)
}

/** Whether the target is the links of an item or a list. */
function isLinkset(target: Target): boolean {
  return 'below' in target && target.below === 'links'
}

/** The Cache-Control of a success: stored and revalidated, unless the definition declares a lifetime. */
export function cacheControlOf(context: RequestContext, composition: Composition = 'plain'): string {
  const { target, caller, method, format, hasCookie } = context
  if (isNeverStored(target)) return noStore
  if (format.isPersonal) return ownAndRevalidated
  if (target.kind === 'action') return cacheControlOfAction(context, target)
  const personal = isPersonal(target) || (showsLinks(format, target) && hasPersonalActions(target))
  const cache = 'resource' in target ? target.resource.cache : undefined
  // A cookie counts or not by Sec-Fetch-Site, which Vary does not name: what it selects is revalidated each time.
  const isAnonymous = caller.kind === 'anonymous' && !hasCookie
  // The response to a write is not a response to a later GET of the URI.
  if (!cache || !safeMethods.has(method) || (personal && !isAnonymous)) {
    return personal ? ownAndRevalidated : revalidated
  }
  if (composition === 'plain') return lifetimeOf(cache)
  return compositeLifetimeOf(cache) ?? (personal ? ownAndRevalidated : revalidated)
}

function cacheControlOfAction(context: RequestContext, target: ActionTarget): string {
  const lifetime = lifetimeOfAction(context, target)
  // RFC 9111 §5.2.2.6: a transformed file would not have its digest.
  return isMadeFile(target) ? `${lifetime}, no-transform` : lifetime
}

/** That of a query with a declared lifetime; the caller's own where the request has credentials. */
function lifetimeOfAction({ caller, hasCookie }: RequestContext, { action }: ActionTarget): string {
  const { cache } = action
  // A cookie counts or not by Sec-Fetch-Site, which Vary does not name: what it selects is revalidated each time.
  if (!cache || hasCookie) return ownAndRevalidated
  return caller.kind === 'anonymous' ? lifetimeOf(cache) : ownLifetimeOf(cache)
}

const noStore = formatCacheControl({ noStore: true })
/** A stream has no validator, so it could not be revalidated. */
export const streamCacheControl = noStore
const revalidated = formatCacheControl({ noCache: true })
export const ownAndRevalidated = formatCacheControl({ private: true, noCache: true })

const lifetimeOf = memoizeByObject((cache: CacheModel) => formatLifetime(cache, cache.maxAge))

const ownLifetimeOf = memoizeByObject((cache: CacheModel) =>
  formatLifetime({ ...cache, shared: false }, cache.maxAge),
)

const compositeLifetimeOf = memoizeByObject((cache: CacheModel): string | undefined =>
  cache.compositeMaxAge === undefined ? undefined : formatLifetime(cache, cache.compositeMaxAge),
)

function formatLifetime({ shared, staleWhileRevalidate }: CacheModel, maxAge: number): string {
  return formatCacheControl({
    private: !shared,
    maxAge,
    ...(staleWhileRevalidate === undefined ? {} : { staleWhileRevalidate }),
  })
}

/** The Cache-Control of errors and of 301. Without it caches may store 301, 404, 405, 410, 414 and 501 (RFC 9110 §15.1). */
export function cacheControlOfError(status: number, target: Target | undefined, format?: Format): string {
  if (isNeverStored(target) || noStoreStatuses.has(status) || status >= 500) return noStore
  return isPersonal(target) || format?.isPersonal === true ? ownAndRevalidated : revalidated
}

function isNeverStored(target: Target | undefined): boolean {
  if (target === undefined) return false
  if (target.kind === 'document') return target.document.cache === 'no-store'
  if (isListFeed(target)) return true
  return mayReturnSecret(target)
}

/** Whether responses of the target may contain a credential. */
export function mayReturnSecret(target: Target): boolean {
  return 'resource' in target && returnsSecret(target.resource)
}

/** Whether a new item is shown with a credential, once. */
export function returnsSecret({ traits }: ResourceModel): boolean {
  return traits.shownInPart !== undefined || traits.shownOnce !== undefined
}

/** Whether two callers may get different representations. */
function isPersonal(target: Target | undefined): boolean {
  if (!target || target.kind === 'asterisk') return false
  if (target.kind === 'document') return target.document.personal
  // The rule of an action and the item that it shows depend on the caller.
  if (target.kind === 'action') return true
  if (isPersonalResource(target.resource)) return true
  if (target.kind === 'storedFile' && hasPersonalHistory(target.resource)) return true
  // Whether a sub-collection exists depends on the right to read its parent.
  if (target.kind === 'collection' && target.parent && isPersonalResource(target.parent.resource)) return true
  return target.readsOtherResources && reachesPersonal(target.resource)
}

/** Whether the request may read other resources too, by embedding or through a relation. */
export function readsOtherResources(
  { method }: HttpRequest,
  { relations }: ResourceModel,
  query: string | undefined,
): boolean {
  if (method === 'QUERY') return true
  if (query === undefined) return false
  const pairs = parseQueryString(query) ?? []
  return pairs.some(([name, value]) => {
    if (name === 'embed' || name.includes('.')) return true
    if (name === 'sort') return value.includes('.')
    const [filtered = ''] = name.split('[', 1)
    return relations.get(filtered)?.kind === 'inverse'
  })
}

/** Whether the resource, or one that its relations lead to directly or indirectly, differs between callers. */
const reachesPersonal = memoizeByObject((resource: ResourceModel): boolean => {
  const reached = new Set([resource])
  for (const { relations } of reached) {
    for (const { target } of relations.values()) reached.add(target)
  }
  return [...reached].some(isPersonalResource)
})

/** Whether the actions that some formats show differ between callers. */
function hasPersonalActions(target: Target | undefined): boolean {
  return target !== undefined && 'resource' in target && hasPersonalRules(target.resource)
}

const hasPersonalRules = memoizeByObject((resource: ResourceModel): boolean => {
  const { access, fields, actions } = resource
  const transitions = fields.flatMap(({ state }) => state?.transitions ?? [])
  const rules = [
    ...Object.values(access),
    ...fields.flatMap(({ writableBy }) => writableBy ?? []),
    ...transitions.flatMap(({ by }) => by ?? []),
    ...actions.values().map(({ by }) => by),
  ]
  return hasPersonalLinks(resource) || rules.some(isPersonalRule)
})

/** Whether the links of an item to referenced items, its sub-collections and its history differ between callers. */
const hasPersonalLinks = memoizeByObject(
  (resource: ResourceModel): boolean =>
    hasPersonalHistory(resource) ||
    resource.relations
      .values()
      .some(({ target, field }) => field.visibleTo !== undefined || isPersonalRule(target.access.read)),
)

function hasPersonalHistory({ history }: ResourceModel): boolean {
  return history?.read !== undefined && isPersonalRule(history.read)
}

function isPersonalRule({ kind }: Rule): boolean {
  return kind !== 'anyone' && kind !== 'nobody'
}

const isPersonalResource = memoizeByObject(
  (resource: ResourceModel): boolean => personalPartsOf(resource).length > 0,
)

/** The parts of the items that callers may see differently, in words; none: all callers get the same content. */
export function personalPartsOf(resource: ResourceModel): readonly string[] {
  const { read } = rightsOf(resource, anonymous)
  return [
    ...(read.kind === 'always' ? [] : ['its rule of read']),
    ...resource.fields
      .filter(({ visibleTo }) => visibleTo)
      .map(({ name }) => `the rule of the field '${name}'`),
    ...resource.derived.flatMap((derived) => personalSourceOf(derived) ?? []),
  ]
}

/** Why callers may see different values, in words: they read different items. */
function personalSourceOf(derived: DerivedModel): string | undefined {
  if (derived.kind === 'computed') return undefined
  const { inverse, rule, field } = derived
  const { read } = rightsOf(inverse.target, anonymous)
  const isRestricted = read.kind !== 'always' || inverse.target.fields.some(({ visibleTo }) => visibleTo)
  if (!isRestricted && !Object.values(rule?.fields ?? {}).some(needsCaller)) return undefined
  return `the derived field '${field.name}', whose value depends on the ${inverse.target.name} that the caller may read`
}
