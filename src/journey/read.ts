/** The safe methods: what is shown of documents, collections and items. */

import type { Link } from '../http/link.ts'
import type { ResponseFields } from '../http/message.ts'
import { formatQueryString } from '../http/query-string.ts'
import type { ListQuery } from '../query/list-query.ts'
import { readParameters } from '../query/parameter.ts'
import { describedBy } from '../view/linking.ts'
import { collectionUri } from '../view/uri.ts'
import type { Answer } from './answer.ts'
import type { LoadedPage, Revised } from './collection.ts'
import type { Context } from './context.ts'
import type { Errand } from './errand.ts'
import { collectionLinks } from './listing.ts'
import type { Found, LoadedDocument } from './load.ts'
import { countRows, type Look, loadPage } from './page.ts'
import {
  type CollectionTarget,
  type DocumentTarget,
  type ItemTarget,
  longestTarget,
} from './target.ts'
import { documentTagOf, pageTagOf, validatorsOf } from './validators.ts'

export function readItem(errand: Errand<ItemTarget>, { view, links }: Found): Answer {
  return { status: 200, view, links, fields: validatorsOf(errand, view) }
}

export async function readCollection(
  errand: Errand<CollectionTarget>,
  current: LoadedPage | Revised,
  { list, counted }: { readonly list: ListQuery; readonly counted: boolean },
): Promise<Answer> {
  const { context, method, target } = errand
  const page = current.kind === 'page' ? current.page : await loadPage(current.look)
  const equivalent = method === 'QUERY' ? equivalentUri(context, target, list) : undefined
  const self = method === 'QUERY' ? selfOf(equivalent) : collectionLinks(target)
  return {
    status: 200,
    view: page.view,
    links: [...self, ...page.links, describedBy(context.model, target.resource)],
    fields: {
      ETag: pageTagOf(errand, current),
      ...(counted ? await totalOf(current.look) : {}),
      ...(equivalent === undefined ? {} : { Location: equivalent }),
    },
  }
}

function selfOf(uri: string | undefined): readonly Link[] {
  return uri === undefined ? [] : [{ target: uri, rel: 'self' }]
}

async function totalOf(look: Look): Promise<ResponseFields> {
  return { 'Total-Count': String(await countRows(look)) }
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

export function readDocument(
  errand: Errand<DocumentTarget>,
  { view, links }: LoadedDocument,
): Answer {
  return { status: 200, view, links, fields: { ETag: documentTagOf(errand, view) } }
}
