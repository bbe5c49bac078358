/**
 * Streams a whole collection in batches. Each batch is a store query of its own that begins after the
 * last row of the one before, so that a slow client keeps no transaction open.
 */

import { rightsOf } from '../../access/rights.ts'
import type { ResponseFields } from '../../http/message.ts'
import { cursorPosition, type ListQuery } from '../../query/list-query.ts'
import { all, canBeTrue } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { countCharacters, exceedsOctets } from '../../store/row-size.ts'
import { createItemView } from '../../views/item-view.ts'
import { createRowChecks } from '../../views/row-checks.ts'
import type { ItemView, StreamView } from '../../views/view.ts'
import { createFieldSelector } from '../../views/visible-fields.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import { streamCacheControl } from '../respond/cacheability.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { parentLinks, selfLinks } from './collection-links.ts'
import type { StreamedState } from './current-state.ts'
import { deriveInto } from './derived-values.ts'
import { embedInto } from './embedding.ts'
import { countRows, type ListContext } from './list-page.ts'
import { readConditionOf } from './load-parent.ts'
import { countItemsWithinOctets } from './page-budget.ts'

/** Measured over 1,000,000 rows: the heap grows by 20 MB with batches of 100, by 52 MB with 500, in the same time. */
const maxBatchRows = 100
const firstBatchRows = 50
/** Characters of text in a batch: large rows come in smaller batches. */
const maxBatchCharacters = 256 * 1024
/** Octets of a batch as loaded, and as sent with embedded items. A single item may exceed it. */
const maxBatchOctets = 1024 * 1024

/** 200 with the collection. It has no validator, because rows may change while it is sent. */
export async function streamCollection(
  { service, unit, caller, method, target, format }: RequestContext<CollectionTarget>,
  { parent }: StreamedState,
  { list: query, isCounted }: { readonly list: ListQuery; readonly isCounted: boolean },
): Promise<ViewResponse> {
  const { resource } = target
  const rights = rightsOf(resource, caller)
  const selector = createFieldSelector(rights, 'list', query.fields)
  // The fields that at least one row may show.
  const { fields, times } = selector.selectFields(canBeTrue)
  const list: ListContext = {
    unit,
    caller,
    selector,
    uri: target.path,
    readCondition: readConditionOf(target, caller, parent),
    query,
    format,
  }
  const total: ResponseFields = isCounted ? { 'Total-Count': String(await countRows(list)) } : {}
  const view: StreamView = {
    kind: 'stream',
    resource,
    fields: [...fields, ...times],
    batches: await loadFirst(loadBatches(list)),
  }
  const links = [...selfLinks({ method, target }), ...parentLinks(service, parent)]
  return { status: 200, view, links, fields: { 'Cache-Control': streamCacheControl, ...total } }
}

/** Loads the first batch at once, so that an error is a refusal and not a stream that is cut off. */
async function loadFirst<T>(batches: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await batches.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* batches
  })()
}

/** Every readable item after the query's position, in the order of the query. */
async function* loadBatches(list: ListContext): AsyncGenerator<readonly ItemView[]> {
  const { unit, caller, selector, readCondition, query } = list
  const checks = createRowChecks(selector.resource, selector.conditions)
  const condition = all([readCondition, query.condition])
  let after = query.pageStart?.position
  // The first batch shows how large the rows are.
  let limit = firstBatchRows
  for (;;) {
    const { order } = query
    if (after !== query.pageStart?.position) await waitForTurn()
    const octets = maxBatchOctets
    const rowQuery = { table: selector.resource.name, condition, order, after, limit, octets }
    const rows = await unit.store.list({ ...rowQuery, evaluated: checks.conditions, scan: true })
    const found = rows.map((row) => createItemView(row, selector, checks.readResults(row)))
    const derived = await deriveInto({ unit, caller }, found)
    const loaded = await embedInto({ unit, caller, embeds: query.embeds, octets }, derived)
    const items = loaded.slice(0, await countItemsWithinOctets(loaded, octets, list.format))
    yield items
    const last = items.at(-1)
    const isCut = items.length < rows.length || exceedsOctets(rows, octets)
    if (!last || (rows.length < limit && !isCut)) return
    after = cursorPosition(query, last.row)
    const fitting = Math.floor((maxBatchCharacters * rows.length) / totalCharacters(rows))
    limit = Math.max(1, Math.min(maxBatchRows, fitting))
  }
}

function totalCharacters(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + countCharacters(row), 1)
}

const waitingStreams: (() => void)[] = []

/** Resolves in a later turn of the event loop; each turn continues one stream. */
function waitForTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waitingStreams.push(resolve) === 1) setImmediate(continueNext)
  })
}

function continueNext(): void {
  waitingStreams.shift()?.()
  if (waitingStreams.length > 0) setImmediate(continueNext)
}
