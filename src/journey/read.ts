/** The safe methods: what is shown of documents, collections and items. */

import { rightsOf } from '../access/rights.ts'
import { formatEntityTag } from '../http/entity-tag.ts'
import type { Link } from '../http/link.ts'
import type { ListQuery } from '../query/list-query.ts'
import { collectionUri, itemUri, referenceUri } from '../view/uri.ts'
import type { Answer } from './answer.ts'
import type { Errand } from './errand.ts'
import { pageTagOf, strong, validatorsOf } from './judge.ts'
import type { Found, LoadedPage, Revised } from './load.ts'
import { loadPage } from './page.ts'
import type { CollectionTarget, DocumentTarget, ItemTarget } from './target.ts'

export function readItem(errand: Errand<ItemTarget>, current: Found): Answer {
  return {
    status: 200,
    view: current.view,
    links: itemLinks(errand, current),
    fields: validatorsOf(current.view, errand.format),
  }
}

/** The item's collection, and the items it refers to where they have URIs to show. */
function itemLinks({ context: { model }, target }: Errand<ItemTarget>, { row, view }: Found) {
  const references = view.shape.fields.flatMap((field): Link[] => {
    const id = row[field.shownAt]
    if (!field.ref || id === null || id === undefined) return []
    return [{ target: referenceUri(model, field.ref.resource, String(id)), rel: field.name }]
  })
  return [
    { target: itemUri(model, target.resource, row), rel: 'self' },
    { target: collectionUri(model, target.resource), rel: 'collection' },
    ...references,
  ]
}

export async function readCollection(
  { context, who, target, format }: Errand<CollectionTarget>,
  current: LoadedPage | Revised,
  query: ListQuery,
): Promise<Answer> {
  const { read } = rightsOf(target.resource, who)
  const page =
    current.kind === 'page' ? current.page : await loadPage(context, current.lens, read, query)
  return {
    status: 200,
    view: page.view,
    links: page.links,
    fields: { ETag: formatEntityTag(strong(pageTagOf(current, target, format))) },
  }
}

export async function readDocument({
  context,
  who,
  target,
}: Errand<DocumentTarget>): Promise<Answer> {
  const data = await target.document.show(context, who, target.parameter)
  return { status: 200, view: { kind: 'document', data }, links: [], fields: {} }
}
