/** The safe methods: what is shown of documents, collections and items. */

import type { Link } from '../http/link.ts'
import type { ResponseFields } from '../http/message.ts'
import { formatQueryString } from '../http/query-string.ts'
import type { ListQuery } from '../query/list-query.ts'
import { readParameters } from '../query/parameter.ts'
import { type Awaitable, andThen } from '../store/store.ts'
import { describedBy } from '../view/linking.ts'
import { collectionUri } from '../view/uri.ts'
import type { CollectionView } from '../view/view.ts'
import type { Answer } from './answer.ts'
import type { LoadedPage, Revised } from './collection.ts'
import type { Context } from './context.ts'
import type { Errand } from './errand.ts'
import { collectionLinks } from './listing.ts'
import type { Found, LoadedDocument } from './load.ts'
import { countRows, loadPage, type Page } from './page.ts'
import { revisionsOf } from './table-state.ts'
import {
  type CollectionTarget,
  type DocumentTarget,
  type ItemTarget,
  longestTarget,
} from './target.ts'
import { documentTagOf, pageTagOf, validatorsOf } from './validators.ts'

export function readItem(errand: Errand<ItemTarget>, { view, links }: Found): Answer {
  return { status: 200, view, links: links(), fields: validatorsOf(errand, view) }
}

export function readCollection(
  errand: Errand<CollectionTarget>,
  current: LoadedPage | Revised,
  { list, counted }: { readonly list: ListQuery; readonly counted: boolean },
): Awaitable<Answer> {
  const loaded = current.kind === 'page' ? { page: current.page, current } : loadSettled(current)
  return andThen(loaded, (settled) =>
    andThen(counted ? countRows(current.look) : undefined, (total) =>
      showPage(errand, settled.current, { page: settled.page, list, total }),
    ),
  )
}

/**
 * A page, and the revisions that it is of. Where something is written while it is loaded it may be
 * of either state, and a strong tag must name one.
 */
function loadSettled(current: Revised): Awaitable<{ page: Page; current: Revised }> {
  const { look, tables, revisions } = current
  return andThen(loadPage(look), (page) =>
    andThen(revisionsOf(look.context.store, tables), (now) => {
      if (now === undefined || now.every((one, at) => one === revisions[at]))
        return { page, current }
      return loadSettled({ ...current, revisions: now })
    }),
  )
}

interface ShownPage {
  readonly page: Page
  readonly list: ListQuery
  /** Undefined where nobody asked for it. */
  readonly total: number | undefined
}

function showPage(
  errand: Errand<CollectionTarget>,
  current: LoadedPage | Revised,
  { page, list, total }: ShownPage,
): Answer {
  const { context, method, target } = errand
  const equivalent = method === 'QUERY' ? equivalentUri(context, target, list) : undefined
  const self = method === 'QUERY' ? selfOf(equivalent) : collectionLinks(target)
  const fields: ResponseFields = {}
  // A page that tells the count is made for whoever asked for it, and for nobody's cache.
  if (total !== undefined && page.view.frame) fields['Cache-Control'] = 'no-store'
  else fields.ETag = pageTagOf(errand, current)
  if (total !== undefined) fields['Total-Count'] = String(total)
  if (equivalent !== undefined) fields.Location = equivalent
  return {
    status: 200,
    view: total === undefined ? page.view : withTotal(page.view, total),
    links: [...self, ...page.links, describedBy(context.model, target.resource)],
    fields,
  }
}

function selfOf(uri: string | undefined): readonly Link[] {
  return uri === undefined ? [] : [{ target: uri, rel: 'self' }]
}

/** Pages say it themselves; other formats have the header field. */
function withTotal(view: CollectionView, total: number): CollectionView {
  return view.frame ? { ...view, frame: { ...view.frame, total } } : view
}

/** RFC 10008 §2.4: where a GET asks the same as the QUERY did; undefined where none can. */
function equivalentUri({ model }: Context, target: CollectionTarget, list: ListQuery) {
  if (list.equivalent === undefined) return undefined
  const cursor = readParameters(target.query).filter(
    ([name]) => name === 'after' || name === 'before',
  )
  const query = formatQueryString([...list.equivalent, ...cursor])
  const uri = collectionUri(model, target.resource)
  const whole = query === '' ? uri : `${uri}?${query}`
  return whole.length > longestTarget ? undefined : whole
}

export function readDocument(
  errand: Errand<DocumentTarget>,
  { view, links }: LoadedDocument,
): Answer {
  return { status: 200, view, links, fields: { ETag: documentTagOf(errand, view) } }
}
