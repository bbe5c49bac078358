/** GET, HEAD and QUERY: the responses for documents, collections, items and files that queries make. */

import { rightsOf } from '../../access/rights.ts'
import { eventStream } from '../../formats/server-sent-events.ts'
import type { Link } from '../../http/link.ts'
import type { HttpResponse, ResponseFields } from '../../http/message.ts'
import { formatContentRange } from '../../http/range.ts'
import { madeTypeOf } from '../../http/served-type.ts'
import { schemaLink } from '../../views/item-links.ts'
import type { CoreRequest } from '../context/core-request.ts'
import type { RequestContext } from '../context/request-context.ts'
import { type CollectionTarget, type ItemTarget, uriWithoutFormat } from '../context/target.ts'
import { positionParameter, streamUri } from '../events/feed-query.ts'
import { cacheControlOf } from '../respond/cacheability.ts'
import { fileContentFields, requestedRange } from '../respond/file-content.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { parentLinks, selfLinks } from './collection-links.ts'
import type {
  CurrentState,
  FoundItem,
  LoadedAggregates,
  LoadedDocument,
  LoadedPage,
  MadeFile,
  UnloadedPage,
} from './current-state.ts'
import { countRows, type ListPage, loadListPage } from './list-page.ts'
import { aggregateLinks } from './load-aggregates.ts'
import { loadRevisions } from './table-revisions.ts'
import { currentComposition, itemValidators, tagField, textOf } from './validators.ts'

/** 200 with the item. */
export async function readItem(
  context: RequestContext<ItemTarget>,
  current: FoundItem,
): Promise<ViewResponse> {
  const { view, links } = current
  const fields = { ...itemValidators(context, view), ...compositeFields(context, current) }
  return { status: 200, view, links: links(), fields }
}

/** The Cache-Control of a composite representation. */
function compositeFields(context: RequestContext, current: CurrentState): ResponseFields {
  const composition = currentComposition(current)
  return composition === 'plain' ? {} : { 'Cache-Control': cacheControlOf(context, composition) }
}

/** 200 with a page of the collection. `counted`: the response has the number of all items. */
export async function readCollection(
  context: RequestContext<CollectionTarget>,
  current: LoadedPage | UnloadedPage,
  { isCounted }: { readonly isCounted: boolean },
): Promise<ViewResponse> {
  const loaded = current.kind === 'page' ? current : await loadConsistentPage(current)
  const total = isCounted ? await countRows(current.list) : undefined
  return pageResponse(context, loaded, total)
}

/**
 * The page with the revisions that it shows. A write during loading may be in the page or not, but
 * a strong entity tag must name one state, so the page is loaded again.
 */
async function loadConsistentPage(
  current: UnloadedPage,
): Promise<UnloadedPage & { readonly page: ListPage }> {
  const { list, revised, revisions } = current
  const page = await loadListPage(list)
  const now = await loadRevisions(list.unit.store, revised)
  if (now === undefined || now.every((revision, at) => revision === revisions[at])) {
    return { ...current, page }
  }
  return loadConsistentPage({ ...current, revisions: now })
}

/**
 * The 304 with the number of all items, which a cache stores with the page: items beyond the page
 * change the number and not the entity tag (RFC 9110 §15.4.5).
 */
export async function withCurrentTotal(response: HttpResponse, current: CurrentState): Promise<HttpResponse> {
  if (current.kind !== 'page') return response
  const total = await countRows(current.list)
  return { ...response, fields: { ...response.fields, 'Total-Count': String(total) } }
}

/** 200 with the groups of the collection. `counted`: the response has the number of groups. */
export function readAggregates(
  context: RequestContext<CollectionTarget>,
  current: LoadedAggregates,
  { isCounted }: { readonly isCounted: boolean },
): ViewResponse {
  const { view } = current
  const fields = tagField(context, current)
  if (isCounted) fields['Total-Count'] = String(view.rows.length)
  return { status: 200, view, links: aggregateLinks(context), fields }
}

function pageResponse(
  context: RequestContext<CollectionTarget>,
  current: LoadedPage | (UnloadedPage & { readonly page: ListPage }),
  total: number | undefined,
): ViewResponse {
  const { page } = current
  const { service, target } = context
  const fields: ResponseFields = { ...compositeFields(context, current), ...tagField(context, current) }
  if (total !== undefined) fields['Total-Count'] = String(total)
  return {
    status: 200,
    view: page.view,
    links: [
      ...selfLinks(context),
      ...parentLinks(service, current.parent),
      ...page.links,
      schemaLink(service.model, target.resource),
      ...feedLinks(context, page.position),
    ],
    fields,
  }
}

/** The stream of the changes of the list since the page was loaded. */
function feedLinks(
  { service, method, target, caller }: RequestContext<CollectionTarget>,
  position: number | undefined,
): readonly Link[] {
  // The stream of a QUERY is that of the same content.
  if (method === 'QUERY' || position === undefined) return []
  const token = service.changes.formatPosition({ position, changesRead: 0 }, [
    rightsOf(target.resource, caller),
  ])
  const uri = `${streamUri(uriWithoutFormat(target))}&${positionParameter}=${token}`
  return [{ target: uri, rel: 'monitor', type: eventStream.mediaType }]
}

/** 200 with the document. */
export async function readDocument(context: RequestContext, current: LoadedDocument): Promise<ViewResponse> {
  const { view, links } = current
  const fields = tagField(context, current)
  // The content is the text from which the tag is computed.
  const text = fields.ETag === undefined ? undefined : textOf(context, view)
  return { status: 200, view, ...(text === undefined ? {} : { text }), links, fields }
}

/** 200 with the file of a query, or 206 with a part of it (RFC 9110 §14). */
export function readMadeFile(context: RequestContext, current: MadeFile, request: CoreRequest): ViewResponse {
  const { method, service } = context
  const { view } = current
  const { octets, type } = view
  const fields = {
    ...fileContentFields({ ...view, served: madeTypeOf(type), hasRanges: true }),
    ...tagField(context, current),
  }
  const file = { ...view, size: octets.length, strongDate: undefined }
  const range = method === 'GET' ? requestedRange(request, file, service.clock.now()) : 'whole'
  if (range === 'whole') return { status: 200, view, links: [], fields }
  return {
    status: 206,
    view,
    text: octets.subarray(range.first, range.last + 1),
    links: [],
    fields: { ...fields, 'Content-Range': formatContentRange(range, octets.length) },
  }
}
