/** What leads on from a collection: its pages, a search in it, and making a new item. */

import type { RequestContext } from '../context/request-context.ts'
import { relationsAt } from '../context/service-context.ts'
import { type CollectionTarget, uriWithoutFormat } from '../context/target.ts'
import type { Link } from '../http/link.ts'
import { findCreateAction } from '../view/create-action.ts'
import type { Hypermedia } from '../view/hypermedia.ts'
import { schemaLink } from '../view/item-links.ts'
import { createSearchLink } from '../view/search-link.ts'

export function collectionHypermedia(
  { service, caller, method, target, format, origin }: RequestContext<CollectionTarget>,
  pages: readonly Link[],
): Hypermedia {
  const { model } = service
  const { resource } = target
  const search = createSearchLink(model, resource, caller)
  // A QUERY asks by its content, so its target is not what it shows.
  const self = method === 'QUERY' ? [] : selfLinks(target)
  const creation =
    format.hypermedia === 'actions' ? findCreateAction(model, resource, caller) : undefined
  return {
    links: [...self, ...pages, schemaLink(model, resource), search],
    actions: creation ? [creation] : [],
    relations: relationsAt(service, origin),
  }
}

export function selfLinks(target: CollectionTarget): readonly Link[] {
  return [{ target: uriWithoutFormat(target), rel: 'self' }]
}
