/** One page of a collection: the rows a caller may see, and the links to the pages around it. */

import type { Principal } from '../access/principal.ts'
import type { Stored } from '../declare/model.ts'
import type { Link } from '../http/link.ts'
import { askedOrder, firstPage, type ListQuery, pageFrom, positionIn } from '../query/list-query.ts'
import { invalidParameter } from '../query/parameter.ts'
import { reversed } from '../query/sort.ts'
import { refuse } from '../refusal.ts'
import type { Representation } from '../representations/representation.ts'
import { all, type Condition } from '../store/condition.ts'
import { exceeds } from '../store/row-size.ts'
import { noText, positionBeside, type RowText, textOf } from '../store/row-text.ts'
import { type Awaitable, andThen, type Row } from '../store/store.ts'
import { type Asks, asksOf, itemView } from '../view/record.ts'
import type { Lens } from '../view/shape.ts'
import { collectionUri } from '../view/uri.ts'
import type { CollectionView, ItemView } from '../view/view.ts'
import { refuseWhenLate } from './admission.ts'
import type { Context } from './context.ts'
import { embedInto } from './embedding.ts'
import { countFittingItems, countFittingTexts } from './page-budget.ts'
import { longestTarget } from './target.ts'
import { listVisible } from './visible-rows.ts'

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
  readonly format: Pick<Representation, 'writeItem'>
  /** How the store is to write the items, where it can and nothing else is asked of them. */
  readonly text: RowText | undefined
}

export function loadPage(look: Look): Awaitable<Page> {
  const { context, lens, query } = look
  refuseWhenLate(context)
  const asks = asksOf(lens.resource, lens.asks)
  return andThen(listRows(look, asks), (found) =>
    andThen(shownOf(look, found, asks), ({ rows, view, more }) => {
      const beyond = rows.length > 0 && query.from ? goesOn(look, rows) : false
      return andThen(beyond, (isAnyBeyond) => {
        const links = pageLinks(look, edgesOf(look, rows, more, isAnyBeyond))
        return { view, links }
      })
    }),
  )
}

interface Shown {
  /** Those that the page has, in the order of the list. */
  readonly rows: readonly Row[]
  readonly view: CollectionView
  /** Whether the list goes on in the direction it was asked in. */
  readonly more: boolean
}

/** As many rows as the limit and the octet budget admit, from the first that was found on. */
function shownOf(look: Look, found: readonly Row[], asks: Asks): Awaitable<Shown> {
  const { context, lens, query, text } = look
  const { resource } = lens
  const budget = context.limits.page
  const rows = admittedRows(look, found)
  const more = (count: number) => found.length > count
  if (text) {
    const texts = rows.map(textOf)
    const count = countFittingTexts(texts, budget)
    const written = inOrder(query, texts.slice(0, count))
    const view: CollectionView = { kind: 'collection', resource, items: [], written }
    return { rows: inOrder(query, rows.slice(0, count)), view, more: more(count) }
  }
  return andThen(itemsOf(look, rows, asks), (loaded) =>
    andThen(countFittingItems(loaded, budget, look.format), (count) => {
      const items = inOrder(query, loaded.slice(0, count))
      const shown = items.map(({ row }) => row)
      return { rows: shown, view: { kind: 'collection', resource, items }, more: more(count) }
    }),
  )
}

/** Rows within the limit; where the store may have ended by octets, the last one only tells of more. */
function admittedRows({ context, query }: Look, found: readonly Row[]): readonly Row[] {
  const ended = found.length > 1 && exceeds(found, context.limits.page)
  const most = Math.min(query.limit, ended ? found.length - 1 : found.length)
  return most < found.length ? found.slice(0, most) : found
}

/** With what they embed: perhaps fewer, where that is large. */
function itemsOf(look: Look, rows: readonly Row[], asks: Asks): Awaitable<readonly ItemView[]> {
  const { context, who, lens, query } = look
  const items = rows.map((row) => itemView(row, lens, asks.answersIn(row)))
  return embedInto({ context, who, embeds: query.embeds, octets: context.limits.page }, items)
}

/** What was asked for backwards is shown forwards. */
function inOrder<T>({ from }: ListQuery, asked: readonly T[]): readonly T[] {
  return from?.backwards ? asked.toReversed() : asked
}

/** Asks for one row more than is shown, to know whether the list goes on. */
function listRows(look: Look, asks: Asks): Awaitable<readonly Row[]> {
  const { context, lens, readable, query, text } = look
  const question = {
    table: lens.resource.name,
    condition: all([readable, query.condition]),
    order: askedOrder(query),
    after: query.from?.position,
    limit: query.limit + 1,
    octets: context.limits.page,
    asks: asks.conditions,
    text,
  }
  // A text has what the caller sees and no more.
  if (text) return context.store.list(question)
  return listVisible(context.store, question, { lens, asks, placeOf: (row) => placeOf(look, row) })
}

/** Whether there is something on the side that a page was reached from must be asked. */
function goesOn(look: Look, rows: readonly Row[]): Awaitable<boolean> {
  const { context, lens, readable, query } = look
  const backwards = query.from?.backwards ?? false
  const edge = rows[backwards ? rows.length - 1 : 0] as Row
  const found = context.store.list({
    table: lens.resource.name,
    condition: all([readable, query.condition]),
    order: backwards ? query.order : reversed(query.order),
    after: placeOf(look, edge),
    limit: 1,
    asks: [],
    text: noText,
  })
  return andThen(found, isAny)
}

function isAny(rows: readonly Row[]): boolean {
  return rows.length > 0
}

/** Where the list goes on beyond a page: from its first row backwards, from its last one forwards. */
interface Edges {
  readonly first: readonly Stored[] | undefined
  readonly last: readonly Stored[] | undefined
}

function edgesOf(look: Look, rows: readonly Row[], more: boolean, beyond: boolean): Edges {
  const backwards = look.query.from?.backwards ?? false
  const [first, last] = [rows[0], rows.at(-1)]
  return {
    first: first && (backwards ? more : beyond) ? placeOf(look, first) : undefined,
    last: last && (backwards ? beyond : more) ? placeOf(look, last) : undefined,
  }
}

/** Where a row stands in the order. */
function placeOf({ query, text }: Look, row: Row): readonly Stored[] {
  return text ? positionBeside(row) : positionIn(query, row)
}

function pageLinks(
  { context: { model, cursors }, lens, query }: Look,
  { first, last }: Edges,
): readonly Link[] {
  const uri = collectionUri(model, lens.resource)
  const text = firstPage(query)
  const links: Link[] = [{ target: text === '' ? uri : `${uri}?${text}`, rel: 'first' }]
  if (first) {
    const before = cursors.format(query.list, first)
    const target = `${uri}?${pageFrom(text, 'before', before)}`
    if (target.length <= longestTarget) links.push({ target, rel: 'prev' })
  }
  if (last) {
    const after = cursors.format(query.list, last)
    const target = `${uri}?${pageFrom(text, 'after', after)}`
    if (target.length > longestTarget) throw endless(after)
    links.push({ target, rel: 'next' })
  }
  return links
}

/** No request could ask for the next page, so the list would seem to end here. */
function endless(cursor: string) {
  if (cursor.length > longestTarget / 2) {
    return invalidParameter(
      'sort',
      `orders by a value that is too long for a link to the next page. Sort by a shorter field`,
    )
  }
  return refuse('uri-too-long', {
    detail: `The link to the next page would exceed ${longestTarget} octets. Send the filter as the content of a QUERY.`,
  })
}

/** How many records the caller may see of the whole list. */
export function countRows({ context, lens, readable, query }: Look) {
  return context.store.count(lens.resource.name, all([readable, query.condition]))
}
