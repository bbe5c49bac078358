/** The links and actions of a collection: its pages, its search, and creating an item. */

import type { RequestContext } from '../context/request-context.ts'
import { relationsAt } from '../context/service-context.ts'
import { type CollectionTarget, uriWithoutFormat } from '../context/target.ts'
import type { Link } from '../http/link.ts'
import { findCreateAction } from '../view/create-action.ts'
import type { Hypermedia } from '../view/hypermedia.ts'
import { schemaLink } from '../view/item-links.ts'
import { createSearchLink } from '../view/search-link.ts'

/** The links and actions that the collection has in its content. */
export function collectionHypermedia(
  { service, caller, method, target, format, origin }: RequestContext<CollectionTarget>,
  pages: readonly Link[],
): Hypermedia {
  const { model } = service
  const { resource } = target
  const search = createSearchLink(model, resource, caller)
  // The result of a QUERY depends on its content, so the target is not its URI.
  const self = method === 'QUERY' ? [] : selfLinks(target)
  const creation = format.hypermedia === 'actions' ? findCreateAction(model, resource, caller) : undefined
  return {
    links: [...self, ...pages, schemaLink(model, resource), search],
    actions: creation ? [creation] : [],
    relations: relationsAt(service, origin),
  }
}

/** The link from a collection to itself, whatever the format. */
export function selfLinks(target: CollectionTarget): readonly Link[] {
  return [{ target: uriWithoutFormat(target), rel: 'self' }]
}
