/** The safe methods: what is shown of documents, collections and items. */

import { formatEntityTag } from '../http/entity-tag.ts'
import type { Link } from '../http/link.ts'
import type { ResponseFields } from '../http/message.ts'
import { formatQueryString } from '../http/query-string.ts'
import type { ListQuery } from '../query/list-query.ts'
import { readParameters } from '../query/parameter.ts'
import { collectionUri, itemUri, referenceUri } from '../view/uri.ts'
import type { Answer } from './answer.ts'
import type { Context } from './context.ts'
import type { Errand } from './errand.ts'
import { pageTagOf, strong, validatorsOf } from './judge.ts'
import type { Found, LoadedPage, Revised } from './load.ts'
import { countRows, type Look, loadPage } from './page.ts'
import {
  type CollectionTarget,
  type DocumentTarget,
  type ItemTarget,
  longestTarget,
} from './target.ts'

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
  { context, method, target, format }: Errand<CollectionTarget>,
  current: LoadedPage | Revised,
  { list, counted }: { readonly list: ListQuery; readonly counted: boolean },
): Promise<Answer> {
  const page = current.kind === 'page' ? current.page : await loadPage(current.look)
  const equivalent = method === 'QUERY' ? equivalentUri(context, target, list) : undefined
  return {
    status: 200,
    view: page.view,
    links: page.links,
    fields: {
      ETag: formatEntityTag(strong(pageTagOf(current, target, format))),
      ...(counted ? await totalOf(current.look) : {}),
      ...(equivalent === undefined ? {} : { Location: equivalent }),
    },
  }
}

/** RFC 7240 §3: what was asked for is named where it was done. */
async function totalOf(look: Look): Promise<ResponseFields> {
  return {
    'Total-Count': String(await countRows(look)),
    'Preference-Applied': 'count=exact',
  }
}

/** RFC 10008 §2.4: where a GET asks the same as the QUERY did; undefined where none can. */
function equivalentUri({ model }: Context, target: CollectionTarget, list: ListQuery) {
  if (list.equivalent === undefined) return undefined
  const cursor = readParameters(target.query).filter(
    ([name]) => name === 'after' || name === 'before',
  )
  const query = formatQueryString([...list.equivalent, ...cursor])
  const uri = collectionUri(model, target.resource)
  const whole = query === '' ? uri : `${uri}?${query}`
  return whole.length > longestTarget ? undefined : whole
}

export async function readDocument({
  context,
  who,
  target,
}: Errand<DocumentTarget>): Promise<Answer> {
  const data = await target.document.show(context, who, target.parameter)
  return { status: 200, view: { kind: 'document', data }, links: [], fields: {} }
}
