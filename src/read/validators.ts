/** The validators of what is shown, as header fields have them before any content coding. */

import type { RequestContext } from '../context/request-context.ts'
import { UPDATED_AT } from '../definition/model.ts'
import { formatEntityTag } from '../http/entity-tag.ts'
import { formatTimestampAsHttpDate } from '../http/http-date.ts'
import { formatLinks } from '../http/link.ts'
import type { ResponseFields } from '../http/message.ts'
import { tagWithCoding } from '../respond/content-coding.ts'
import { memoizePerSecond } from '../tools/memoize.ts'
import { collectionRevisionTag, collectionTag, contentTag, itemTag } from '../view/opaque-tag.ts'
import type { DocumentView, ItemView, View } from '../view/view.ts'
import type { CurrentState, LoadedPage, UnloadedPage } from './current-state.ts'
import { loadListPage } from './list-page.ts'

/** The header fields that validate an item. */
export function itemValidators(context: RequestContext, view: ItemView): ResponseFields {
  return {
    ETag: itemTagOf(context, view),
    // What is embedded changes on its own, and has no part in the time the item was modified.
    ...(view.embedded ? {} : { 'Last-Modified': modificationDate(context, view) }),
  }
}

/** §8.8.2.1: never later than the message itself, whatever clock the item was written by. */
function modificationDate({ service }: RequestContext, { row }: ItemView): string {
  const modified = row[UPDATED_AT] as string
  const now = secondOf(service.clock.now())
  return formatTimestampAsHttpDate(modified > now ? now : modified)
}

/** The end of the present second, as a timestamp. */
const secondOf = memoizePerSecond(
  (second) => `${new Date(second * 1000).toISOString().slice(0, 19)}.999Z`,
)

function itemTagOf({ format }: RequestContext, view: ItemView): string {
  return strong(itemTag(view, format.name))
}

/** Of the page at the target. */
export function pageTagOf({ format }: RequestContext, current: LoadedPage | UnloadedPage): string {
  if (current.kind === 'page') {
    const { view, links } = current.page
    return strong(collectionTag(view, formatLinks(links), format.name))
  }
  const { list, revisions, name } = current
  return strong(
    collectionRevisionTag(list.selector.resource, { revisions, list: name, format: format.name }),
  )
}

export function documentTagOf({ format }: RequestContext, view: DocumentView): string {
  return strong(contentTag(format.write(view)))
}

/** The tag of what stands here, before any coding; undefined where nothing does. */
export function uncodedTag(context: RequestContext, current: CurrentState): string | undefined {
  switch (current.kind) {
    case 'document':
      return documentTagOf(context, current.view)
    case 'found':
      return itemTagOf(context, current.view)
    case 'page':
    case 'unloaded-page':
      return pageTagOf(context, current)
    default:
      return undefined
  }
}

/** The tag that a 200 would have now; undefined where this caller would get none. */
export async function loadCurrentTag(
  context: RequestContext,
  current: CurrentState,
): Promise<string | undefined> {
  const tag = uncodedTag(context, current)
  const view = await viewOf(current)
  const { format, coding } = context
  // What a POST makes can be shown in formats that its collection has not.
  if (!tag || !view || !format.shows.has(view.kind)) return undefined
  // Of what is to be written no page was made.
  if (format.isHtml && !view.chrome) return undefined
  return tagWithCoding(tag, format.write(view), coding)
}

async function viewOf(current: CurrentState): Promise<View | undefined> {
  switch (current.kind) {
    case 'document':
      return current.view
    case 'found':
      return current.isReadable ? current.view : undefined
    case 'page':
      return current.page.view
    case 'unloaded-page':
      return (await loadListPage(current.list)).view
    default:
      return undefined
  }
}

function strong(opaque: string): string {
  return formatEntityTag({ weak: false, opaque })
}
