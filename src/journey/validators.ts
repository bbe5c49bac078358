/** The validators of what is shown, as header fields have them before any content coding. */

import { UPDATED_AT } from '../declare/model.ts'
import { formatEntityTag } from '../http/entity-tag.ts'
import { httpDateOf } from '../http/http-date.ts'
import { formatLinks } from '../http/link.ts'
import type { ResponseFields } from '../http/message.ts'
import { oncePerSecond } from '../once.ts'
import { contentTag, itemTag, pageTag, revisionTag } from '../view/validator.ts'
import type { DocumentView, ItemView, View } from '../view/view.ts'
import { codedTag } from './coding.ts'
import type { LoadedPage, Revised } from './collection.ts'
import type { Errand } from './errand.ts'
import type { Current } from './load.ts'
import { loadPage } from './page.ts'

/** The header fields that validate an item. */
export function validatorsOf(errand: Errand, view: ItemView): ResponseFields {
  return {
    ETag: itemTagOf(errand, view),
    // What is embedded changes on its own, and has no part in the time the item was modified.
    ...(view.embedded ? {} : { 'Last-Modified': modificationDate(errand, view) }),
  }
}

/** §8.8.2.1: never later than the message itself, whatever clock the item was written by. */
function modificationDate({ context }: Errand, { row }: ItemView): string {
  const modified = row[UPDATED_AT] as string
  const now = secondOf(context.clock.now())
  return httpDateOf(modified > now ? now : modified)
}

/** The end of the present second, as a timestamp. */
const secondOf = oncePerSecond(
  (second) => `${new Date(second * 1000).toISOString().slice(0, 19)}.999Z`,
)

function itemTagOf({ format }: Errand, view: ItemView): string {
  return strong(itemTag(view, format.name))
}

/** Of the page at the target. */
export function pageTagOf({ format }: Errand, current: LoadedPage | Revised): string {
  if (current.kind === 'page') {
    const { view, links } = current.page
    return strong(pageTag(view, formatLinks(links), format.name))
  }
  const { look, revisions, name } = current
  return strong(revisionTag(look.lens.resource, { revisions, page: name, format: format.name }))
}

export function documentTagOf({ format }: Errand, view: DocumentView): string {
  return strong(contentTag(format.write(view)))
}

/** The tag of what stands here, before any coding; undefined where nothing does. */
export function baseTag(errand: Errand, current: Current): string | undefined {
  switch (current.kind) {
    case 'document':
      return documentTagOf(errand, current.view)
    case 'found':
      return itemTagOf(errand, current.view)
    case 'page':
    case 'revised':
      return pageTagOf(errand, current)
    default:
      return undefined
  }
}

/** The tag that a 200 would have now; undefined where this caller would get none. */
export async function currentTag(errand: Errand, current: Current): Promise<string | undefined> {
  const tag = baseTag(errand, current)
  const view = await viewOf(current)
  const { format, coding } = errand
  // What a POST makes can be shown in formats that its collection has not.
  if (!tag || !view || !format.shows.has(view.kind)) return undefined
  // Of what is to be written no page was made.
  if (format.framed && !view.frame) return undefined
  return codedTag(tag, format.write(view), coding)
}

async function viewOf(current: Current): Promise<View | undefined> {
  switch (current.kind) {
    case 'document':
      return current.view
    case 'found':
      return current.readable ? current.view : undefined
    case 'page':
      return current.page.view
    case 'revised':
      return (await loadPage(current.look)).view
    default:
      return undefined
  }
}

function strong(opaque: string): string {
  return formatEntityTag({ weak: false, opaque })
}
