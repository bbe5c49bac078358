/** Loads a page of a collection: the items that the caller may see, and the links to other pages. */

import type { Principal } from '../../access/principal.ts'
import type { Stored } from '../../definition/model.ts'
import type { Format } from '../../formats/format.ts'
import type { Link } from '../../http/link.ts'
import {
  cursorPosition,
  formatFirstPageQuery,
  formatPageQuery,
  type ListQuery,
  storeOrder,
} from '../../query/list-query.ts'
import { invalidParameter } from '../../query/query-parameter.ts'
import { reverseOrder } from '../../query/sort-parameter.ts'
import { refuse } from '../../refusal.ts'
import { all, type Condition } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { exceedsOctets } from '../../store/row-size.ts'
import { createItemView } from '../../views/item-view.ts'
import { createRowChecks, type RowChecks } from '../../views/row-checks.ts'
import type { CollectionView, ItemView } from '../../views/view.ts'
import type { FieldSelector } from '../../views/visible-fields.ts'
import type { Unit } from '../context/service-context.ts'
import { maxTargetLength } from '../context/target.ts'
import { deriveInto } from './derived-values.ts'
import { withElementLinks } from './element-links.ts'
import { embedInto } from './embedding.ts'
import { listWithinVisibleSize } from './list-within-visible-size.ts'
import { countItemsWithinOctets } from './page-budget.ts'

export interface ListPage {
  readonly view: CollectionView
  readonly links: readonly Link[]
  /** The last position of the change log before the page was loaded; undefined where it is not known. */
  readonly position: number | undefined
}

/** The inputs of a page of a collection: the caller, the fields shown, the query and the format. */
export interface ListContext {
  readonly unit: Unit
  readonly caller: Principal
  readonly selector: FieldSelector
  /** The URI of the collection. */
  readonly uri: string
  /** The rows of the collection that the caller may read. */
  readonly readCondition: Condition
  readonly query: ListQuery
  readonly format: Pick<Format, 'writeCollectionItem'>
}

/** The page. Refuses 400 and 414 when no link can name the next page. */
export async function loadListPage(list: ListContext): Promise<ListPage> {
  const position = await list.unit.store.lastPosition()
  return { ...(await loadPageAlone(list)), position }
}

/** The page without its position in the change log, which a snapshot of the store cannot tell. */
export async function loadPageAlone(list: ListContext): Promise<Omit<ListPage, 'position'>> {
  const { selector, query } = list
  const checks = createRowChecks(selector.resource, selector.conditions)
  const found = await listRows(list, checks)
  const { rows, view, hasMore } = await fitPage(list, found, checks)
  const hasBefore = rows.length > 0 && query.pageStart ? await hasRowsBefore(list, rows) : false
  return { view, links: pageLinks(list, pageEdges(query, rows, hasMore, hasBefore)) }
}

interface FittedPage {
  /** The rows of the page, in the order of the list. */
  readonly rows: readonly Row[]
  readonly view: CollectionView
  /** Whether rows follow in the direction of the query. */
  readonly hasMore: boolean
}

/** The first rows found, as many as the limit and the octet budget admit. */
async function fitPage(list: ListContext, found: readonly Row[], checks: RowChecks): Promise<FittedPage> {
  const { unit, selector, query } = list
  const { resource } = selector
  const budget = unit.limits.page
  const rows = rowsWithinLimits(list, found)
  const loaded = await loadItems(list, rows, checks)
  const count = await countItemsWithinOctets(loaded, budget, list.format)
  const items = inOrder(query, loaded.slice(0, count))
  return {
    rows: items.map(({ row }) => row),
    view: { kind: 'collection', resource, items },
    hasMore: found.length > count,
  }
}

/** The rows within the limit. When the store ended the list by octets, the last row is not shown. */
function rowsWithinLimits({ unit, query }: ListContext, found: readonly Row[]): readonly Row[] {
  const isCut = found.length > 1 && exceedsOctets(found, unit.limits.page)
  const count = Math.min(query.limit, isCut ? found.length - 1 : found.length)
  return count < found.length ? found.slice(0, count) : found
}

/** The items with their derived fields and the items they embed; fewer of them when those are large. */
async function loadItems(
  list: ListContext,
  rows: readonly Row[],
  checks: RowChecks,
): Promise<readonly ItemView[]> {
  const { unit, caller, selector, query } = list
  const items = rows.map((row) => createItemView(row, selector, checks.readResults(row)))
  const derived = await deriveInto({ unit, caller }, items)
  const linked = await withElementLinks(unit, caller, derived)
  return embedInto({ unit, caller, embeds: query.embeds, octets: unit.limits.page }, linked)
}

/** In the order of the list; rows before a cursor are found in reverse. */
function inOrder<T>({ pageStart }: ListQuery, found: readonly T[]): readonly T[] {
  return pageStart?.backwards ? found.toReversed() : found
}

/** Lists one row more than the limit, which tells whether more follow. */
async function listRows(list: ListContext, checks: RowChecks): Promise<readonly Row[]> {
  const { unit, selector, readCondition, query } = list
  const rowQuery = {
    table: selector.resource.name,
    condition: all([readCondition, query.condition]),
    order: storeOrder(query),
    after: query.pageStart?.position,
    limit: query.limit + 1,
    octets: unit.limits.page,
    evaluated: checks.conditions,
  }
  return listWithinVisibleSize(unit.store, rowQuery, {
    selector,
    checks,
    positionOf: (row) => cursorPosition(query, row),
  })
}

/** Whether there are rows on the side of the cursor that led to this page; they may have been deleted. */
async function hasRowsBefore(list: ListContext, rows: readonly Row[]): Promise<boolean> {
  const { unit, selector, readCondition, query } = list
  const backwards = query.pageStart?.backwards ?? false
  const edge = rows[backwards ? rows.length - 1 : 0] as Row
  const found = await unit.store.list({
    table: selector.resource.name,
    condition: all([readCondition, query.condition]),
    order: backwards ? query.order : reverseOrder(query.order),
    after: cursorPosition(query, edge),
    limit: 1,
    evaluated: [],
    columns: ['_identity'],
  })
  return found.length > 0
}

/** The positions of the first and last row, where the list has more rows before or after them. */
interface PageEdges {
  readonly first: readonly Stored[] | undefined
  readonly last: readonly Stored[] | undefined
}

function pageEdges(query: ListQuery, rows: readonly Row[], hasMore: boolean, hasBefore: boolean): PageEdges {
  const backwards = query.pageStart?.backwards ?? false
  const [first, last] = [rows[0], rows.at(-1)]
  return {
    first: first && (backwards ? hasMore : hasBefore) ? cursorPosition(query, first) : undefined,
    last: last && (backwards ? hasBefore : hasMore) ? cursorPosition(query, last) : undefined,
  }
}

function pageLinks(
  { unit: { cursors }, uri, query }: ListContext,
  { first, last }: PageEdges,
): readonly Link[] {
  const parameters = formatFirstPageQuery(query)
  const links: Link[] = [{ target: parameters === '' ? uri : `${uri}?${parameters}`, rel: 'first' }]
  if (first) {
    const before = cursors.format(query.listKey, first)
    const target = `${uri}?${formatPageQuery(parameters, 'before', before)}`
    if (target.length <= maxTargetLength) links.push({ target, rel: 'prev' })
  }
  if (last) {
    const after = cursors.format(query.listKey, last)
    const target = `${uri}?${formatPageQuery(parameters, 'after', after)}`
    if (target.length > maxTargetLength) throw nextLinkTooLong(after)
    links.push({ target, rel: 'next' })
  }
  return links
}

/** Without a link to the next page the list would seem to end here. */
function nextLinkTooLong(cursor: string) {
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

/** How many items the whole list has for this caller. */
export function countRows({ unit, selector, readCondition, query }: ListContext) {
  return unit.store.count(selector.resource.name, all([readCondition, query.condition]))
}
