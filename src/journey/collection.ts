/** A collection as a caller asks to see it: a page, all of it, or what its tag is made of. */

import { rightsOf } from '../access/rights.ts'
import { oncePer } from '../once.ts'
import type { ListQuery } from '../query/list-query.ts'
import { type Awaitable, andThen } from '../store/store.ts'
import { linkingOf } from '../view/linking.ts'
import { type Lens, lensOf, linkedLens } from '../view/shape.ts'
import type { Errand } from './errand.ts'
import { collectionHypermedia, plainUri } from './listing.ts'
import type { Nothing } from './load.ts'
import { type Look, loadPage, type Page } from './page.ts'
import { type PageKey, pageKey } from './page-memory.ts'
import { framed } from './pages/frame.ts'
import { type Mark, marksOf, revisionsOf, tablesOf } from './table-state.ts'
import type { CollectionTarget } from './target.ts'

/** A page whose tag must come from its records, because not everyone sees the same. */
export interface LoadedPage {
  readonly kind: 'page'
  readonly page: Page
  readonly look: Look
  readonly marks: readonly Mark[]
}

/** A page whose tag comes from the revisions of the tables it shows; not loaded yet. */
export interface Revised {
  readonly kind: 'revised'
  /** Of the tables, from before anything is loaded. */
  readonly revisions: readonly number[]
  readonly tables: readonly string[]
  readonly marks: readonly Mark[]
  readonly look: Look
  /** What else decides which records are shown, and what of them. */
  readonly name: string
  /** Under what the answer is kept and recalled; undefined where it is not. */
  readonly key: PageKey | undefined
}

/** A whole collection, which is loaded only as it is sent. */
export interface Streamed {
  readonly kind: 'streamed'
}

export function loadCollection(
  errand: Errand,
  target: CollectionTarget,
  query: ListQuery,
): Awaitable<LoadedPage | Revised | Streamed | Nothing> {
  const { context, who, method, format } = errand
  const { resource } = target
  const rights = rightsOf(resource, who)
  // To whom it is never shown, it has no representation.
  if (rights.read.kind === 'never') return { kind: 'nothing' }
  // All of it, unless the client asks for so many.
  const bounded = query.kept.some(([name]) => name === 'limit') || query.from?.backwards
  if (format.stream && !bounded) return { kind: 'streamed' }
  const lens = lensOf(rights, query.fields)
  const look: Look = { context, who, lens, readable: rights.read, query, format, text: undefined }
  if (format.hypermedia) return loadLinkedPage(errand, target, look)
  const embedded = query.embeds.flatMap(({ ref }) => ref?.resource ?? [])
  const lenses = [lens, ...embedded.map((one) => lensOf(rightsOf(one, who)))]
  const shown = [resource, ...query.through, ...embedded]
  const tables = tablesOf(shown)
  const alike = shown.every((one) => rightsOf(one, who).read.kind === 'always')
  const countable = alike && lenses.every(({ asks }) => asks.length === 0)
  // Before anything is loaded.
  const marked = method === 'POST' ? marksOf(context.store, tables) : []
  return andThen(marked, (marks) =>
    andThen(countable ? revisionsOf(context.store, tables) : undefined, (revisions) => {
      if (revisions !== undefined) return revise(errand, look, { lenses, marks, revisions, tables })
      return andThen(loadPage(look), (page) => ({ kind: 'page', page, look, marks }))
    }),
  )
}

/** What all see alike needs no record for its tag, and may be written by the store. */
function revise(
  errand: Errand,
  { context, who, lens, readable, query }: Look,
  { lenses, ...of }: Pick<Revised, 'marks' | 'revisions' | 'tables'> & { lenses: readonly Lens[] },
): Revised {
  const { format, target } = errand
  // However its query was written, so that equal content has equal tags. The budget decides which
  // records are on the page.
  const shown = lenses.map(shownBy)
  const name = JSON.stringify([plainUri(target), query.list, shown, context.limits.page])
  const text = query.embeds.length === 0 ? format.rowText?.(lens.shapeOf(unasked)) : undefined
  const look = { context, who, lens, readable, query, format, text }
  return { kind: 'revised', ...of, look, name, key: pageKey(errand, name, of.revisions) }
}

/** A page of a format that shows links: its tag comes from the records, and from what is offered. */
async function loadLinkedPage(
  errand: Errand,
  target: CollectionTarget,
  { lens, ...rest }: Look,
): Promise<LoadedPage> {
  const { context, who, method } = errand
  const { resource } = target
  const linked = linkedLens(lens, linkingOf(context.model, resource, who))
  const look: Look = { ...rest, lens: linked }
  const marks = method === 'POST' ? await marksOf(context.store, tablesOf([resource])) : []
  const page = await loadPage(look)
  const hypermedia = collectionHypermedia({ ...errand, target }, page.links)
  const view = await framed(errand, { ...page.view, hypermedia })
  return { kind: 'page', page: { ...page, view }, look, marks }
}

/** Which fields; where nothing is asked of a record, every record shows the same. */
const shownBy = oncePer(({ shapeOf }: Lens): string => {
  const { fields, times } = shapeOf(unasked)
  return [...fields, ...times].map((field) => field.name).join()
})

const unasked = () => false
