/** One page of a collection: the rows a caller may see, and the links to the pages around it. */

import type { Link } from '../http/link.ts'
import { firstPage, type ListQuery, nextPage } from '../query/list-query.ts'
import type { Condition } from '../store/condition.ts'
import type { Row } from '../store/store.ts'
import { asksOf, itemView } from '../view/record.ts'
import type { Lens } from '../view/shape.ts'
import { collectionUri } from '../view/uri.ts'
import type { CollectionView } from '../view/view.ts'
import type { Context } from './context.ts'

export interface Page {
  readonly view: CollectionView
  readonly links: readonly Link[]
}

/** Asks for one row more than is shown, to know whether there is a next page. */
export async function loadPage(
  context: Context,
  lens: Lens,
  condition: Condition,
  query: ListQuery,
): Promise<Page> {
  const { resource } = lens
  const asks = asksOf(resource, lens.asks)
  const rows = await context.store.list({
    table: resource.name,
    condition,
    order: query.order,
    after: query.after,
    limit: query.limit + 1,
    asks: asks.conditions,
  })
  const shown = rows.length > query.limit ? rows.slice(0, query.limit) : rows
  const items = shown.map((row) => itemView(row, lens, asks.answersIn(row)))
  const last = rows.length > query.limit ? shown.at(-1) : undefined
  return {
    view: { kind: 'collection', resource, items },
    links: pageLinks(context, lens, query, last),
  }
}

function pageLinks(
  { model, cursors }: Context,
  { resource }: Lens,
  query: ListQuery,
  last: Row | undefined,
): readonly Link[] {
  const uri = collectionUri(model, resource)
  const at = (text: string) => (text === '' ? uri : `${uri}?${text}`)
  const first = { target: at(firstPage(query)), rel: 'first' }
  if (!last) return [first]
  return [first, { target: at(nextPage(resource, query, last, cursors)), rel: 'next' }]
}
