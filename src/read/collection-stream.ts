/**
 * A whole collection, batch by batch (SEED: "all resources"): each batch is a question of its own
 * that goes on after the last row, so that nothing is held open while a slow client reads.
 */

import { rightsOf } from '../access/rights.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import { cursorPosition, type ListQuery } from '../query/list-query.ts'
import { refuseWhenOverloaded } from '../request/overload.ts'
import { streamCacheControl } from '../respond/cacheability.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { all } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { countCharacters, exceedsOctets } from '../store/row-size.ts'
import { createItemView, createRowChecks } from '../view/row-checks.ts'
import { createFieldSelector } from '../view/shape.ts'
import type { ItemView, StreamView } from '../view/view.ts'
import { selfLinks } from './collection-links.ts'
import { embedInto } from './embedding.ts'
import type { ListContext } from './list-page.ts'
import { countFittingItems } from './page-budget.ts'

/**
 * Small, for what is alive while a batch is sent makes the heap for young objects grow: measured
 * over 1,000,000 rows, by 20 MB with batches of 100 and by 52 MB with 500, in the same time.
 */
const mostRows = 100
/** Characters of text in a batch, so that large records come in smaller batches. */
const batchText = 256 * 1024
/** Octets of a batch as it is loaded, and as it is sent with what it embeds; but for a single item. */
const batchOctets = 1024 * 1024

/** No validator: rows may come and go while it is sent, and a tag would promise its octets. */
export async function streamCollection(
  { service, caller, method, target, format }: RequestContext<CollectionTarget>,
  query: ListQuery,
): Promise<ViewResponse> {
  refuseWhenOverloaded(service)
  const { resource } = target
  const rights = rightsOf(resource, caller)
  const selector = createFieldSelector(rights, query.fields)
  // Every condition held to be true: all that some record may show.
  const { fields, times } = selector.shapeOf(({ kind }) => kind !== 'never')
  const list: ListContext = {
    service,
    caller,
    selector,
    readCondition: rights.read,
    query,
    format,
    text: undefined,
  }
  const view: StreamView = {
    kind: 'stream',
    resource,
    fields: [...fields, ...times],
    batches: await begun(batchesOf(list)),
  }
  const links = method === 'QUERY' ? [] : selfLinks(target)
  return { status: 200, view, links, fields: { 'Cache-Control': streamCacheControl } }
}

/** With its first batch loaded: what is wrong at once is refused, and not cut off. */
async function begun<T>(batches: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await batches.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* batches
  })()
}

/** Every readable item from the query's position on, each once, in its order. */
async function* batchesOf(list: ListContext): AsyncGenerator<readonly ItemView[]> {
  const { service, caller, selector, readCondition: readable, query } = list
  const checks = createRowChecks(selector.resource, selector.conditions)
  const condition = all([readable, query.condition])
  let after = query.from?.position
  // The first batch tells how large the records are.
  let limit = 50
  for (;;) {
    const { order } = query
    if (after !== query.from?.position) await streamTurn()
    const octets = batchOctets
    const rowQuery = { table: selector.resource.name, condition, order, after, limit, octets }
    const rows = await service.store.list({ ...rowQuery, evaluate: checks.conditions, scan: true })
    const found = rows.map((row) => createItemView(row, selector, checks.readResults(row)))
    const loaded = await embedInto({ service, caller, embeds: query.embeds, octets }, found)
    const items = loaded.slice(0, await countFittingItems(loaded, octets, list.format))
    yield items
    const last = items.at(-1)
    const ended = items.length < rows.length || exceedsOctets(rows, octets)
    if (!last || (rows.length < limit && !ended)) return
    after = cursorPosition(query, last.row)
    limit = Math.max(1, Math.min(mostRows, Math.floor((batchText * rows.length) / sizeOf(rows))))
  }
}

function sizeOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + countCharacters(row), 1)
}

const waiting: (() => void)[] = []

/** Resolves in a later turn of the event loop; one stream goes on in each. */
export function streamTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(nextTurn)
  })
}

function nextTurn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(nextTurn)
}
