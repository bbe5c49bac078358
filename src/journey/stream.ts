/**
 * A whole collection, batch by batch (SEED: "all resources"): each batch is a question of its own
 * that goes on after the last row, so that nothing is held open while a slow client reads.
 */

import { rightsOf } from '../access/rights.ts'
import { type ListQuery, positionIn } from '../query/list-query.ts'
import { all } from '../store/condition.ts'
import { charactersOf, exceeds } from '../store/row-size.ts'
import type { Row } from '../store/store.ts'
import { asksOf, itemView } from '../view/record.ts'
import { lensOf } from '../view/shape.ts'
import type { ItemView, StreamView } from '../view/view.ts'
import { refuseWhenLate } from './admission.ts'
import type { Answer } from './answer.ts'
import { streamCacheControl } from './cacheability.ts'
import { embedInto } from './embedding.ts'
import type { Errand } from './errand.ts'
import { collectionLinks } from './listing.ts'
import type { Look } from './page.ts'
import { countFittingItems } from './page-budget.ts'
import { streamTurn } from './stream-turn.ts'
import type { CollectionTarget } from './target.ts'

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
  { context, who, method, target, format }: Errand<CollectionTarget>,
  query: ListQuery,
): Promise<Answer> {
  refuseWhenLate(context)
  const { resource } = target
  const rights = rightsOf(resource, who)
  const lens = lensOf(rights, query.fields)
  // Every condition held to be true: all that some record may show.
  const { fields, times } = lens.shapeOf(({ kind }) => kind !== 'never')
  const look: Look = { context, who, lens, readable: rights.read, query, format, text: undefined }
  const view: StreamView = {
    kind: 'stream',
    resource,
    fields: [...fields, ...times],
    batches: await begun(batchesOf(look)),
  }
  const links = method === 'QUERY' ? [] : collectionLinks(target)
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
async function* batchesOf(look: Look): AsyncGenerator<readonly ItemView[]> {
  const { context, who, lens, readable, query } = look
  const asks = asksOf(lens.resource, lens.asks)
  const condition = all([readable, query.condition])
  let after = query.from?.position
  // The first batch tells how large the records are.
  let limit = 50
  for (;;) {
    const { order } = query
    if (after !== query.from?.position) await streamTurn()
    const octets = batchOctets
    const question = { table: lens.resource.name, condition, order, after, limit, octets }
    const rows = await context.store.list({ ...question, asks: asks.conditions, scan: true })
    const found = rows.map((row) => itemView(row, lens, asks.answersIn(row)))
    const loaded = await embedInto({ context, who, embeds: query.embeds, octets }, found)
    const items = loaded.slice(0, await countFittingItems(loaded, octets, look.format))
    yield items
    const last = items.at(-1)
    const ended = items.length < rows.length || exceeds(rows, octets)
    if (!last || (rows.length < limit && !ended)) return
    after = positionIn(query, last.row)
    limit = Math.max(1, Math.min(mostRows, Math.floor((batchText * rows.length) / sizeOf(rows))))
  }
}

function sizeOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + charactersOf(row), 1)
}
