/** One page of a collection: the rows a caller may see, and the links to the pages around it. */

import type { Principal } from '../access/principal.ts'
import type { Link } from '../http/link.ts'
import { askedOrder, firstPage, type ListQuery, pageFrom, positionIn } from '../query/list-query.ts'
import { reversed } from '../query/sort.ts'
import { all, type Condition } from '../store/condition.ts'
import type { Row } from '../store/store.ts'
import { asksOf, itemView } from '../view/record.ts'
import type { Lens } from '../view/shape.ts'
import { collectionUri } from '../view/uri.ts'
import type { CollectionView } from '../view/view.ts'
import type { Context } from './context.ts'
import { embedInto } from './embedding.ts'

export interface Page {
  readonly view: CollectionView
  readonly links: readonly Link[]
}

/** How a caller looks at a collection. */
export interface Look {
  readonly context: Context
  readonly who: Principal
  readonly lens: Lens
  /** What the caller may read. */
  readonly readable: Condition
  readonly query: ListQuery
}

export async function loadPage(look: Look): Promise<Page> {
  const { context, who, lens, query } = look
  const asks = asksOf(lens.resource, lens.asks)
  const { rows, more } = await loadRows(look, asks.conditions)
  const items = rows.map((row) => itemView(row, lens, asks.answersIn(row)))
  return {
    view: {
      kind: 'collection',
      resource: lens.resource,
      items: await embedInto(context, who, items, query.embeds),
    },
    links: pageLinks(look, await surroundings(look, rows, more)),
  }
}

/** Asks for one row more than is shown, to know whether the list goes on. */
async function loadRows({ context, lens, readable, query }: Look, asks: readonly Condition[]) {
  const rows = await context.store.list({
    table: lens.resource.name,
    condition: all([readable, query.condition]),
    order: askedOrder(query),
    after: query.from?.position,
    limit: query.limit + 1,
    asks,
  })
  const shown = rows.slice(0, query.limit)
  return {
    rows: query.from?.backwards ? shown.reverse() : shown,
    more: rows.length > query.limit,
  }
}

/** The rows at the edges of a page, each where the list goes on beyond it. */
interface Surroundings {
  readonly first: Row | undefined
  readonly last: Row | undefined
}

/** Whether there is something on the side a page was reached from must be asked. */
async function surroundings(look: Look, rows: readonly Row[], more: boolean) {
  const [first, last] = [rows[0], rows.at(-1)]
  const { from } = look.query
  if (!from || !first || !last) return { first: undefined, last: more ? last : undefined }
  if (from.backwards) {
    return { first: more ? first : undefined, last: (await goesOn(look, last)) ? last : undefined }
  }
  return { first: (await goesOn(look, first)) ? first : undefined, last: more ? last : undefined }
}

async function goesOn({ context, lens, readable, query }: Look, row: Row): Promise<boolean> {
  const rows = await context.store.list({
    table: lens.resource.name,
    condition: all([readable, query.condition]),
    order: query.from?.backwards ? query.order : reversed(query.order),
    after: positionIn(query, row),
    limit: 1,
    asks: [],
  })
  return rows.length > 0
}

function pageLinks(
  { context: { model, cursors }, lens, query }: Look,
  { first, last }: Surroundings,
): readonly Link[] {
  const uri = collectionUri(model, lens.resource)
  const at = (text: string) => (text === '' ? uri : `${uri}?${text}`)
  return [
    { target: at(firstPage(query)), rel: 'first' },
    ...(first ? [{ target: at(pageFrom(query, 'before', first, cursors)), rel: 'prev' }] : []),
    ...(last ? [{ target: at(pageFrom(query, 'after', last, cursors)), rel: 'next' }] : []),
  ]
}

/** How many records the caller may see of the whole list. */
export function countRows({ context, lens, readable, query }: Look) {
  return context.store.count(lens.resource.name, all([readable, query.condition]))
}
