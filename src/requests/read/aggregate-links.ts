/** The links of the groups of a list: to themselves, to the list, and to the schema of its rows. */

import type { Link } from '../../http/link.ts'
import type { Hypermedia } from '../../views/hypermedia-controls.ts'
import { pathAboveReserved, schemaUri } from '../../views/uri.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsBaseUri } from '../context/service-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import { selfLinks } from './collection-links.ts'

export function aggregateLinks(context: RequestContext<CollectionTarget>): readonly Link[] {
  const { service, target } = context
  const { model } = service
  return [
    ...selfLinks(context),
    { target: pathAboveReserved(target.path), rel: 'collection' },
    {
      target: schemaUri(model, `${target.resource.name}.aggregate`),
      rel: 'describedby',
      type: 'application/schema+json',
    },
  ]
}

export function aggregateHypermedia(context: RequestContext<CollectionTarget>): Hypermedia {
  return {
    links: aggregateLinks(context),
    actions: [],
    relations: relationsBaseUri(context.service, context.origin),
  }
}
