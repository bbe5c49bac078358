/** The links and actions of a collection: its pages, its search, and creating an item. */

import type { Link } from '../../http/link.ts'
import { findCollectionActions } from '../../views/declared-actions.ts'
import type { Hypermedia } from '../../views/hypermedia-controls.ts'
import { schemaLink } from '../../views/item-links.ts'
import { createSearchLinks } from '../../views/search-link.ts'
import { itemUri } from '../../views/uri.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsBaseUri, type ServiceContext } from '../context/service-context.ts'
import { type CollectionTarget, uriWithoutFormat } from '../context/target.ts'
import type { ParentItem } from './current-state.ts'
import { findPermittedCreation } from './permitted-creation.ts'

/** The links and actions that the collection has in its content. */
export async function collectionHypermedia(
  context: RequestContext<CollectionTarget>,
  pages: readonly Link[],
  parent: ParentItem | undefined,
): Promise<Hypermedia> {
  const { service, caller, target, format, origin } = context
  const { model } = service
  const { resource } = target
  const hasActions = format.hypermedia === 'actions'
  const creation = hasActions ? await findPermittedCreation(context, resource, parent) : undefined
  const declared = hasActions && !parent ? findCollectionActions(model, resource, caller) : []
  return {
    links: [
      ...selfLinks(context),
      ...parentLinks(service, parent),
      ...pages,
      schemaLink(model, resource),
      ...createSearchLinks(target, context),
    ],
    actions: creation ? [creation, ...declared] : declared,
    relations: relationsBaseUri(service, origin),
  }
}

/** The link from a sub-collection to the item that it belongs to. */
export function parentLinks(
  { model }: Pick<ServiceContext, 'model'>,
  parent: ParentItem | undefined,
): readonly Link[] {
  if (!parent?.resource.itemMethods.has('GET')) return []
  return [{ target: itemUri(model, parent.resource, parent.row), rel: 'up' }]
}

/**
 * The link from a collection to itself, whatever the format. The result of a QUERY depends on its content, which no URI
 * repeats: it may be private (RFC 10008 §4).
 */
export function selfLinks({
  method,
  target,
}: Pick<RequestContext<CollectionTarget>, 'method' | 'target'>): readonly Link[] {
  if (method === 'QUERY') return []
  return [{ target: uriWithoutFormat(target), rel: 'self' }]
}
