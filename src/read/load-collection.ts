/** Loads a collection: a page of it, or only the table revisions that its entity tag is computed from. */

import { rightsOf } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import { type CollectionTarget, uriWithoutFormat } from '../context/target.ts'
import { withPageChrome } from '../html-pages/page-chrome.ts'
import type { ListQuery } from '../query/list-query.ts'
import { all } from '../store/condition.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { createLinkBuilder, selectorWithLinks } from '../view/item-links.ts'
import { createFieldSelector, type FieldSelector } from '../view/shape.ts'
import { collectionHypermedia } from './collection-links.ts'
import type {
  LoadedAggregates,
  LoadedPage,
  NotLoaded,
  StreamedCollection,
  UnloadedPage,
} from './current-state.ts'
import { type ListContext, loadListPage } from './list-page.ts'
import { loadAggregates } from './load-aggregates.ts'
import { responseCacheKey } from './response-cache.ts'
import { loadRevisions, loadTableMarks, shownTables } from './table-revisions.ts'

/**
 * The state of a collection. A page that every caller sees alike is not loaded yet when the store
 * counts the revisions of its tables; a whole collection is loaded while it is sent.
 */
export async function loadCollection(
  context: RequestContext,
  target: CollectionTarget,
  query: ListQuery,
): Promise<LoadedPage | UnloadedPage | StreamedCollection | LoadedAggregates | NotLoaded> {
  const { service, caller, method, format } = context
  const { resource } = target
  const rights = rightsOf(resource, caller)
  // A caller who may never read the collection gets no representation of it.
  if (rights.read.kind === 'never') return { kind: 'not-loaded' }
  if (query.aggregation) {
    return loadAggregates(context, target, query.aggregation, all([rights.read, query.condition]))
  }
  // Formats that can be streamed show the whole collection, unless the client sets a limit.
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
  const selectors = [selector, ...embedded.map((other) => createFieldSelector(rightsOf(other, caller)))]
  const shown = [resource, ...query.through, ...embedded]
  const tables = shownTables(shown)
  // Marks and revisions are read before any row.
  const marks = method === 'POST' ? await loadTableMarks(service.store, tables) : []
  const isAlike =
    shown.every((other) => rightsOf(other, caller).read.kind === 'always') &&
    selectors.every(({ conditions }) => conditions.length === 0)
  const revisions = isAlike ? await loadRevisions(service.store, tables) : undefined
  if (revisions) return unloadedPage(context, list, selectors, { marks, revisions, tables })
  return { kind: 'page', page: await loadListPage(list), list, marks }
}

/** A page that every caller sees alike: its tag needs no row, and the store may write its items as text. */
function unloadedPage(
  context: RequestContext,
  list: ListContext,
  selectors: readonly FieldSelector[],
  tables: Pick<UnloadedPage, 'marks' | 'revisions' | 'tables'>,
): UnloadedPage {
  const { service, format, target } = context
  const { query, selector } = list
  // The normalised query, so that equal content has equal tags. The budget decides which items fit.
  const fields = selectors.map(fieldNames)
  const name = JSON.stringify([uriWithoutFormat(target), query.listKey, fields, service.limits.page])
  const text = query.embeds.length === 0 ? format.rowText?.(selector.shapeOf(noCheck)) : undefined
  const key = responseCacheKey(context, name, tables.revisions)
  return { kind: 'unloaded-page', ...tables, list: { ...list, text }, name, key }
}

/** A page in a format that shows links: its tag is computed from the rows and from the links and actions. */
async function loadLinkedPage(
  context: RequestContext,
  target: CollectionTarget,
  { selector, ...rest }: ListContext,
): Promise<LoadedPage> {
  const { service, caller, method } = context
  const { resource } = target
  const linked = selectorWithLinks(selector, createLinkBuilder(service.model, resource, caller))
  const list: ListContext = { ...rest, selector: linked }
  const marks = method === 'POST' ? await loadTableMarks(service.store, shownTables([resource])) : []
  const page = await loadListPage(list)
  const hypermedia = collectionHypermedia({ ...context, target }, page.links)
  const view = await withPageChrome(context, { ...page.view, hypermedia })
  return { kind: 'page', page: { ...page, view }, list, marks }
}

/** The names of the fields that every row shows; the selector has no conditions. */
const fieldNames = memoizeByObject(({ shapeOf }: FieldSelector): string => {
  const { fields, times } = shapeOf(noCheck)
  return [...fields, ...times].map((field) => field.name).join()
})

const noCheck = () => false
