/** The safe methods: what is shown of documents, collections and items. */

import type { RequestContext } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import {
  type CollectionTarget,
  type DocumentTarget,
  type ItemTarget,
  maxTargetLength,
} from '../context/target.ts'
import type { Link } from '../http/link.ts'
import type { ResponseFields } from '../http/message.ts'
import { formatQueryString } from '../http/query-string.ts'
import type { ListQuery } from '../query/list-query.ts'
import { parseAllParameters } from '../query/query-parameter.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { andThen, type MaybePromise } from '../store/store.ts'
import { schemaLink } from '../view/item-links.ts'
import { collectionUri } from '../view/uri.ts'
import type { CollectionView } from '../view/view.ts'
import { selfLinks } from './collection-links.ts'
import type { FoundItem, LoadedDocument, LoadedPage, UnloadedPage } from './current-state.ts'
import { countRows, type ListPage, loadListPage } from './list-page.ts'
import { loadRevisions } from './table-revisions.ts'
import { documentTagOf, itemValidators, pageTagOf } from './validators.ts'

export function readItem(
  context: RequestContext<ItemTarget>,
  { view, links }: FoundItem,
): ViewResponse {
  return { status: 200, view, links: links(), fields: itemValidators(context, view) }
}

export function readCollection(
  context: RequestContext<CollectionTarget>,
  current: LoadedPage | UnloadedPage,
  { list, counted }: { readonly list: ListQuery; readonly counted: boolean },
): MaybePromise<ViewResponse> {
  const loaded = current.kind === 'page' ? { page: current.page, current } : loadSettled(current)
  return andThen(loaded, (settled) =>
    andThen(counted ? countRows(current.list) : undefined, (total) =>
      showPage(context, settled.current, { page: settled.page, list, total }),
    ),
  )
}

/**
 * A page, and the revisions that it is of. Where something is written while it is loaded it may be
 * of either state, and a strong tag must name one.
 */
function loadSettled(
  current: UnloadedPage,
): MaybePromise<{ page: ListPage; current: UnloadedPage }> {
  const { list, tables, revisions } = current
  return andThen(loadListPage(list), (page) =>
    andThen(loadRevisions(list.service.store, tables), (now) => {
      if (now === undefined || now.every((one, at) => one === revisions[at]))
        return { page, current }
      return loadSettled({ ...current, revisions: now })
    }),
  )
}

interface ShownPage {
  readonly page: ListPage
  readonly list: ListQuery
  /** Undefined where nobody asked for it. */
  readonly total: number | undefined
}

function showPage(
  context: RequestContext<CollectionTarget>,
  current: LoadedPage | UnloadedPage,
  { page, list, total }: ShownPage,
): ViewResponse {
  const { service, method, target } = context
  const equivalent = method === 'QUERY' ? equivalentUri(service, target, list) : undefined
  const self = method === 'QUERY' ? selfOf(equivalent) : selfLinks(target)
  const fields: ResponseFields = {}
  // A page that tells the count is made for whoever asked for it, and for nobody's cache.
  if (total !== undefined && page.view.chrome) fields['Cache-Control'] = 'no-store'
  else fields.ETag = pageTagOf(context, current)
  if (total !== undefined) fields['Total-Count'] = String(total)
  if (equivalent !== undefined) fields.Location = equivalent
  return {
    status: 200,
    view: total === undefined ? page.view : withTotal(page.view, total),
    links: [...self, ...page.links, schemaLink(service.model, target.resource)],
    fields,
  }
}

function selfOf(uri: string | undefined): readonly Link[] {
  return uri === undefined ? [] : [{ target: uri, rel: 'self' }]
}

/** Pages say it themselves; other formats have the header field. */
function withTotal(view: CollectionView, total: number): CollectionView {
  return view.chrome ? { ...view, chrome: { ...view.chrome, total } } : view
}

/** RFC 10008 §2.4: where a GET asks the same as the QUERY did; undefined where none can. */
function equivalentUri({ model }: ServiceContext, target: CollectionTarget, list: ListQuery) {
  if (list.getParameters === undefined) return undefined
  const cursor = parseAllParameters(target.query).filter(
    ([name]) => name === 'after' || name === 'before',
  )
  const query = formatQueryString([...list.getParameters, ...cursor])
  const uri = collectionUri(model, target.resource)
  const whole = query === '' ? uri : `${uri}?${query}`
  return whole.length > maxTargetLength ? undefined : whole
}

export function readDocument(
  context: RequestContext<DocumentTarget>,
  { view, links }: LoadedDocument,
): ViewResponse {
  return { status: 200, view, links, fields: { ETag: documentTagOf(context, view) } }
}
