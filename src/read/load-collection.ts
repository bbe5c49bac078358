/** A collection as a caller asks to see it: a page, all of it, or what its tag is made of. */

import { rightsOf } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import { type CollectionTarget, uriWithoutFormat } from '../context/target.ts'
import { withPageChrome } from '../html-pages/page-chrome.ts'
import type { ListQuery } from '../query/list-query.ts'
import { andThen, type MaybePromise } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { createLinkBuilder, selectorWithLinks } from '../view/item-links.ts'
import { createFieldSelector, type FieldSelector } from '../view/shape.ts'
import { collectionHypermedia } from './collection-links.ts'
import type { LoadedPage, NotLoaded, StreamedCollection, UnloadedPage } from './current-state.ts'
import { type ListContext, loadListPage } from './list-page.ts'
import { responseCacheKey } from './response-cache.ts'
import { loadRevisions, loadTableMarks, tablesOf } from './table-revisions.ts'

export function loadCollection(
  context: RequestContext,
  target: CollectionTarget,
  query: ListQuery,
): MaybePromise<LoadedPage | UnloadedPage | StreamedCollection | NotLoaded> {
  const { service, caller, method, format } = context
  const { resource } = target
  const rights = rightsOf(resource, caller)
  // To whom it is never shown, it has no representation.
  if (rights.read.kind === 'never') return { kind: 'not-loaded' }
  // All of it, unless the client asks for so many.
  const bounded = query.linkParameters.some(([name]) => name === 'limit') || query.from?.backwards
  if (format.stream && !bounded) return { kind: 'streamed' }
  const selector = createFieldSelector(rights, query.fields)
  const list: ListContext = {
    service,
    caller,
    selector,
    readCondition: rights.read,
    query,
    format,
    text: undefined,
  }
  if (format.hypermedia) return loadLinkedPage(context, target, list)
  const embedded = query.embeds.flatMap(({ ref }) => ref?.resource ?? [])
  const selectors = [selector, ...embedded.map((one) => createFieldSelector(rightsOf(one, caller)))]
  const shown = [resource, ...query.through, ...embedded]
  const tables = tablesOf(shown)
  const alike = shown.every((one) => rightsOf(one, caller).read.kind === 'always')
  const countable = alike && selectors.every(({ conditions }) => conditions.length === 0)
  // Before anything is loaded.
  const marked = method === 'POST' ? loadTableMarks(service.store, tables) : []
  return andThen(marked, (marks) =>
    andThen(countable ? loadRevisions(service.store, tables) : undefined, (revisions) => {
      if (revisions !== undefined)
        return revise(context, list, { selectors, marks, revisions, tables })
      return andThen(loadListPage(list), (page) => ({ kind: 'page', page, list, marks }))
    }),
  )
}

/** What all see alike needs no record for its tag, and may be written by the store. */
function revise(
  context: RequestContext,
  { service, caller, selector, readCondition, query }: ListContext,
  {
    selectors,
    ...of
  }: Pick<UnloadedPage, 'marks' | 'revisions' | 'tables'> & {
    selectors: readonly FieldSelector[]
  },
): UnloadedPage {
  const { format, target } = context
  // However its query was written, so that equal content has equal tags. The budget decides which
  // records are on the page.
  const shown = selectors.map(shownBy)
  const name = JSON.stringify([uriWithoutFormat(target), query.listKey, shown, service.limits.page])
  const text = query.embeds.length === 0 ? format.rowText?.(selector.shapeOf(unasked)) : undefined
  const list = { service, caller, selector, readCondition, query, format, text }
  return {
    kind: 'unloaded-page',
    ...of,
    list,
    name,
    key: responseCacheKey(context, name, of.revisions),
  }
}

/** A page of a format that shows links: its tag comes from the records, and from what is offered. */
async function loadLinkedPage(
  context: RequestContext,
  target: CollectionTarget,
  { selector, ...rest }: ListContext,
): Promise<LoadedPage> {
  const { service, caller, method } = context
  const { resource } = target
  const linked = selectorWithLinks(selector, createLinkBuilder(service.model, resource, caller))
  const list: ListContext = { ...rest, selector: linked }
  const marks = method === 'POST' ? await loadTableMarks(service.store, tablesOf([resource])) : []
  const page = await loadListPage(list)
  const hypermedia = collectionHypermedia({ ...context, target }, page.links)
  const view = await withPageChrome(context, { ...page.view, hypermedia })
  return { kind: 'page', page: { ...page, view }, list, marks }
}

/** Which fields; where nothing is asked of a record, every record shows the same. */
const shownBy = memoizeByObject(({ shapeOf }: FieldSelector): string => {
  const { fields, times } = shapeOf(unasked)
  return [...fields, ...times].map((field) => field.name).join()
})

const unasked = () => false
