/** The validators of representations (RFC 9110 §8.8): entity tags, before content coding, and Last-Modified. */

import { readsOtherRecords } from '../../definition/rule.ts'
import type { Format } from '../../formats/format.ts'
import { formatEntityTag } from '../../http/entity-tag.ts'
import { formatTimestampAsHttpDate } from '../../http/http-date.ts'
import { formatLinks } from '../../http/link.ts'
import type { ResponseFields } from '../../http/message.ts'
import { canBeTrue } from '../../store/condition.ts'
import { memoizeByObject, memoizePerSecond } from '../../tools/memoize.ts'
import { type Composition, compositionOf } from '../../views/composition.ts'
import { fileTag } from '../../views/file-validators.ts'
import {
  aggregateTag,
  collectionRevisionTag,
  collectionTag,
  contentTag,
  isReferenceByKey,
  itemTag,
  lastChangeTime,
  seenFieldsWithValue,
  type TagContext,
} from '../../views/opaque-tag.ts'
import type { FileView, ItemView, View } from '../../views/view.ts'
import type { VisibleFields } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import { isListFeed } from '../context/target.ts'
import { tagWithCoding } from '../respond/content-coding.ts'
import type { CurrentState, LoadedPage, UnloadedPage } from './current-state.ts'
import type { ListContext } from './list-page.ts'

/** ETag of an item, and Last-Modified where only changes of the item change the representation. */
export function itemValidators(context: RequestContext, view: ItemView): ResponseFields {
  if (!hasEntityTag(context)) return {}
  const tag = { ETag: itemTagOf(context, view) }
  if (!isDatedByItem(view)) return tag
  return { ...tag, 'Last-Modified': modificationDate(context, view) }
}

/** The composition of the representation that a 200 would have. */
export function currentComposition(current: CurrentState): Composition {
  switch (current.kind) {
    case 'found':
      return compositionOf(current.view)
    case 'page':
    case 'unloaded-page':
      return isCompositeList(current.list) ? 'composite' : 'plain'
    default:
      return 'plain'
  }
}

function isCompositeList({ query, selector }: ListContext): boolean {
  if (query.embeds.length > 0) return true
  if (selector.resource.derived.length === 0) return false
  // The fields that at least one row may show.
  return selector.selectFields(canBeTrue).derived.length > 0
}

/** §8.8.2.1: never later than the response, whose `Date` is that of this machine, even if the writer was ahead. */
function modificationDate({ service }: RequestContext, view: ItemView): string {
  const modified = lastChangeTime(view)
  const now = secondOf(Math.min(service.clock.now(), Date.now()))
  return formatTimestampAsHttpDate(modified > now ? now : modified)
}

/** The end of the current second, as a timestamp. */
const secondOf = memoizePerSecond((second) => `${new Date(second * 1000).toISOString().slice(0, 19)}.999Z`)

function itemTagOf(context: RequestContext, view: ItemView): string {
  return strong(itemTag(view, tagContext(context)))
}

/** ETag of a document, an aggregation or a page, where its representation has one. */
export function tagField(context: RequestContext, current: CurrentState): ResponseFields {
  const tag = hasEntityTag(context) ? uncodedTag(context, current) : undefined
  return tag === undefined ? {} : { ETag: tag }
}

function pageTagOf(context: RequestContext, current: LoadedPage | UnloadedPage): string {
  if (current.kind === 'page') {
    const { view, links } = current.page
    return strong(collectionTag(view, formatLinks(links), tagContext(context)))
  }
  const { list, revisions, pageKey: name } = current
  const listed = { revisions, list: name, format: nameInTags(context.format) }
  return strong(collectionRevisionTag(list.selector.resource, listed))
}

/** Whether its representation has an entity tag. */
export function hasEntityTag({ target, format }: RequestContext): boolean {
  if (format.hasValidators === false) return false
  if (target.kind !== 'document') return !isListFeed(target)
  return target.document.hasEntityTag !== false
}

/** The entity tag of a document. §8.8.1: the same octets of another media type are another representation. */
function documentTag(context: RequestContext, view: View): string | undefined {
  const text = textOf(context, view)
  return text === undefined ? undefined : strong(`${contentTag(text)}.${nameInTags(context.format)}`)
}

/** The text of a view whose entity tag is computed from it. It is written once, for the tag and for the content. */
export function textOf({ format }: RequestContext, view: View): string | Uint8Array | undefined {
  return textsOf(view)(format)
}

const textsOf = memoizeByObject((view: View) => memoizeByObject((format: Format) => format.write?.(view)))

/** The entity tag of the current state, before content coding; undefined when it has none. */
export function uncodedTag(context: RequestContext, current: CurrentState): string | undefined {
  switch (current.kind) {
    case 'document':
      return documentTag(context, current.view)
    case 'made-file':
      return strong(fileTag(current.view))
    case 'aggregates':
      return strong(aggregateTag(current.view, tagContext(context)))
    case 'found':
      return itemTagOf(context, current.view)
    case 'page':
    case 'unloaded-page':
      return pageTagOf(context, current)
    default:
      return undefined
  }
}

/** The entity tag that a 200 would have now; undefined when it has none, or the caller would get none. */
export function shownTag(context: RequestContext, current: CurrentState): string | undefined {
  const tag = hasEntityTag(context) ? uncodedTag(context, current) : undefined
  const { format, coding } = context
  if (tag === undefined || (current.kind === 'found' && !current.isReadable)) return undefined
  // The format of a POST is chosen for the new item; the collection may not have it.
  const view = viewOf(current)
  if (!format.viewKinds.has(view?.kind ?? 'collection')) return undefined
  return tagWithCoding(tag, coding)
}

/** The view; undefined for a page that is not loaded. */
function viewOf(current: CurrentState): View | FileView | undefined {
  switch (current.kind) {
    case 'document':
    case 'made-file':
    case 'aggregates':
    case 'found':
      return current.view
    case 'page':
      return current.page.view
    default:
      return undefined
  }
}

function tagContext({ service, format }: RequestContext): TagContext {
  return { format: nameInTags(format), key: service.tagKey }
}

function nameInTags({ name, variant }: Format): string {
  return variant === undefined ? name : `${name}-${variant}`
}

function strong(opaque: string): string {
  return formatEntityTag({ weak: false, opaque })
}

/**
 * Whether only changes of the item change the representation, so that it was last modified when the
 * item was: no other item or link has an effect on it (RFC 9110 §8.8.2).
 */
export function isDatedByItem(view: ItemView): boolean {
  const { embedded, hypermedia, visibleFields } = view
  if (embedded || hypermedia || !isFixedByItem(visibleFields)) return false
  // Changes of these values are no public changes, which the date is of.
  return seenFieldsWithValue(view).length === 0
}

const isFixedByItem = memoizeByObject(
  ({ resource, fields, derived }: VisibleFields) =>
    derived.length === 0 &&
    !fields.some(isReferenceByKey) &&
    !resource.fields.some(({ visibleTo }) => visibleTo && readsOtherRecords(visibleTo)),
)
