/** One page of a collection: the rows a caller may see, and the links to the pages around it. */

import type { Principal } from '../access/principal.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { maxTargetLength } from '../context/target.ts'
import type { Stored } from '../definition/model.ts'
import type { Link } from '../http/link.ts'
import {
  cursorPosition,
  formatFirstPageQuery,
  formatPageQuery,
  type ListQuery,
  storeOrder,
} from '../query/list-query.ts'
import { invalidParameter } from '../query/query-parameter.ts'
import { reverseOrder } from '../query/sort-parameter.ts'
import { refuse } from '../refusal.ts'
import type { Representation } from '../representations/representation.ts'
import { refuseWhenOverloaded } from '../request/overload.ts'
import { all, type Condition } from '../store/condition.ts'
import type { Row, RowText } from '../store/row.ts'
import { exceedsOctets } from '../store/row-size.ts'
import { noText, positionOf, rowTextOf } from '../store/sql/row-text-sql.ts'
import { andThen, type MaybePromise } from '../store/store.ts'
import { createItemView, createRowChecks, type RowChecks } from '../view/row-checks.ts'
import type { FieldSelector } from '../view/shape.ts'
import { collectionUri } from '../view/uri.ts'
import type { CollectionView, ItemView } from '../view/view.ts'
import { embedInto } from './embedding.ts'
import { countFittingItems, countFittingTexts } from './page-budget.ts'
import { listVisibleRows } from './visible-rows.ts'

export interface ListPage {
  readonly view: CollectionView
  readonly links: readonly Link[]
}

/** How a caller looks at a collection. */
export interface ListContext {
  readonly service: ServiceContext
  readonly caller: Principal
  readonly selector: FieldSelector
  /** What the caller may read. */
  readonly readCondition: Condition
  readonly query: ListQuery
  readonly format: Pick<Representation, 'writeItem'>
  /** How the store is to write the items, where it can and nothing else is asked of them. */
  readonly text: RowText | undefined
}

export function loadListPage(list: ListContext): MaybePromise<ListPage> {
  const { service, selector, query } = list
  refuseWhenOverloaded(service)
  const checks = createRowChecks(selector.resource, selector.conditions)
  return andThen(listRows(list, checks), (found) =>
    andThen(shownOf(list, found, checks), ({ rows, view, more }) => {
      const beyond = rows.length > 0 && query.from ? goesOn(list, rows) : false
      return andThen(beyond, (isAnyBeyond) => {
        const links = pageLinks(list, edgesOf(list, rows, more, isAnyBeyond))
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
function shownOf(list: ListContext, found: readonly Row[], checks: RowChecks): MaybePromise<Shown> {
  const { service, selector, query, text } = list
  const { resource } = selector
  const budget = service.limits.page
  const rows = admittedRows(list, found)
  const more = (count: number) => found.length > count
  if (text) {
    const texts = rows.map(rowTextOf)
    const count = countFittingTexts(texts, budget)
    const written = inOrder(query, texts.slice(0, count))
    const view: CollectionView = { kind: 'collection', resource, items: [], itemTexts: written }
    return { rows: inOrder(query, rows.slice(0, count)), view, more: more(count) }
  }
  return andThen(itemsOf(list, rows, checks), (loaded) =>
    andThen(countFittingItems(loaded, budget, list.format), (count) => {
      const items = inOrder(query, loaded.slice(0, count))
      const shown = items.map(({ row }) => row)
      return { rows: shown, view: { kind: 'collection', resource, items }, more: more(count) }
    }),
  )
}

/** Rows within the limit; where the store may have ended by octets, the last one only tells of more. */
function admittedRows({ service, query }: ListContext, found: readonly Row[]): readonly Row[] {
  const ended = found.length > 1 && exceedsOctets(found, service.limits.page)
  const most = Math.min(query.limit, ended ? found.length - 1 : found.length)
  return most < found.length ? found.slice(0, most) : found
}

/** With what they embed: perhaps fewer, where that is large. */
function itemsOf(
  list: ListContext,
  rows: readonly Row[],
  checks: RowChecks,
): MaybePromise<readonly ItemView[]> {
  const { service, caller, selector, query } = list
  const items = rows.map((row) => createItemView(row, selector, checks.readResults(row)))
  return embedInto({ service, caller, embeds: query.embeds, octets: service.limits.page }, items)
}

/** What was asked for backwards is shown forwards. */
function inOrder<T>({ from }: ListQuery, asked: readonly T[]): readonly T[] {
  return from?.backwards ? asked.toReversed() : asked
}

/** Asks for one row more than is shown, to know whether the list goes on. */
function listRows(list: ListContext, checks: RowChecks): MaybePromise<readonly Row[]> {
  const { service, selector, readCondition: readable, query, text } = list
  const rowQuery = {
    table: selector.resource.name,
    condition: all([readable, query.condition]),
    order: storeOrder(query),
    after: query.from?.position,
    limit: query.limit + 1,
    octets: service.limits.page,
    evaluate: checks.conditions,
    text,
  }
  // A text has what the caller sees and no more.
  if (text) return service.store.list(rowQuery)
  return listVisibleRows(service.store, rowQuery, {
    selector,
    checks,
    placeOf: (row) => placeOf(list, row),
  })
}

/** Whether there is something on the side that a page was reached from must be asked. */
function goesOn(list: ListContext, rows: readonly Row[]): MaybePromise<boolean> {
  const { service, selector, readCondition: readable, query } = list
  const backwards = query.from?.backwards ?? false
  const edge = rows[backwards ? rows.length - 1 : 0] as Row
  const found = service.store.list({
    table: selector.resource.name,
    condition: all([readable, query.condition]),
    order: backwards ? query.order : reverseOrder(query.order),
    after: placeOf(list, edge),
    limit: 1,
    evaluate: [],
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

function edgesOf(list: ListContext, rows: readonly Row[], more: boolean, beyond: boolean): Edges {
  const backwards = list.query.from?.backwards ?? false
  const [first, last] = [rows[0], rows.at(-1)]
  return {
    first: first && (backwards ? more : beyond) ? placeOf(list, first) : undefined,
    last: last && (backwards ? beyond : more) ? placeOf(list, last) : undefined,
  }
}

/** Where a row stands in the order. */
function placeOf({ query, text }: ListContext, row: Row): readonly Stored[] {
  return text ? positionOf(row) : cursorPosition(query, row)
}

function pageLinks(
  { service: { model, cursors }, selector, query }: ListContext,
  { first, last }: Edges,
): readonly Link[] {
  const uri = collectionUri(model, selector.resource)
  const text = formatFirstPageQuery(query)
  const links: Link[] = [{ target: text === '' ? uri : `${uri}?${text}`, rel: 'first' }]
  if (first) {
    const before = cursors.format(query.listKey, first)
    const target = `${uri}?${formatPageQuery(text, 'before', before)}`
    if (target.length <= maxTargetLength) links.push({ target, rel: 'prev' })
  }
  if (last) {
    const after = cursors.format(query.listKey, last)
    const target = `${uri}?${formatPageQuery(text, 'after', after)}`
    if (target.length > maxTargetLength) throw endless(after)
    links.push({ target, rel: 'next' })
  }
  return links
}

/** No request could ask for the next page, so the list would seem to end here. */
function endless(cursor: string) {
  if (cursor.length > maxTargetLength / 2) {
    return invalidParameter(
      'sort',
      `orders by a value that is too long for a link to the next page. Sort by a shorter field`,
    )
  }
  return refuse('uri-too-long', {
    detail: `The link to the next page would exceed ${maxTargetLength} octets. Send the filter as the content of a QUERY.`,
  })
}

/** How many records the caller may see of the whole list. */
export function countRows({ service, selector, readCondition: readable, query }: ListContext) {
  return service.store.count(selector.resource.name, all([readable, query.condition]))
}
