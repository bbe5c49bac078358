/** What leads on from a collection: its pages, a search in it, and making a new item. */

import type { Link } from '../http/link.ts'
import { formatQueryString, parseQueryString } from '../http/query-string.ts'
import { rememberingLast } from '../once.ts'
import { creationOf } from '../view/creation.ts'
import type { Hypermedia } from '../view/hypermedia.ts'
import { describedBy } from '../view/linking.ts'
import { searchLink } from '../view/search.ts'
import type { Errand } from './errand.ts'
import { relationsAt } from './relations-uri.ts'
import type { CollectionTarget, Target } from './target.ts'

export function collectionHypermedia(
  { context, who, method, target, format, origin }: Errand<CollectionTarget>,
  pages: readonly Link[],
): Hypermedia {
  const { model } = context
  const { resource } = target
  const search = searchLink(model, resource, who)
  // A QUERY asks by its content, so its target is not what it shows.
  const self = method === 'QUERY' ? [] : collectionLinks(target)
  const creation = format.hypermedia === 'actions' ? creationOf(model, resource, who) : undefined
  return {
    links: [...self, ...pages, describedBy(model, resource), search],
    actions: creation ? [creation] : [],
    relations: relationsAt(context, origin),
  }
}

export function collectionLinks(target: CollectionTarget): readonly Link[] {
  return [{ target: plainUri(target), rel: 'self' }]
}

/** The target whatever the format: path and query without `format`. */
export function plainUri({ path, query }: Target): string {
  const kept = query === undefined ? '' : withoutFormat(query)
  return kept === '' ? path : `${path}?${kept}`
}

const withoutFormat = rememberingLast((query) => {
  const parameters = parseQueryString(query) ?? []
  return formatQueryString(parameters.filter(([name]) => name !== 'format'))
})
