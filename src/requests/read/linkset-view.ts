/** The linkset of an item or a list: its formats first, then its links (RFC 9264). */

import { formatsFor } from '../../formats/formats.ts'
import { createLinkset } from '../../formats/linkset.ts'
import { eventStream } from '../../formats/server-sent-events.ts'
import type { Link } from '../../http/link.ts'
import { expandRelation } from '../../views/link-relation.ts'
import { pathAboveReserved } from '../../views/uri.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsBaseUri } from '../context/service-context.ts'
import type { CollectionTarget, ItemTarget } from '../context/target.ts'
import { streamUri } from '../events/feed-query.ts'
import { alternateLinks } from '../respond/offered-formats.ts'
import { linksInVersion } from '../versions/version-links.ts'
import type { LoadedDocument } from './current-state.ts'

/** The linkset as the state of its URI. */
export function loadedLinkset(
  context: RequestContext<ItemTarget | CollectionTarget>,
  links: readonly Link[],
): LoadedDocument {
  const { service, target, origin, version } = context
  const uri = pathAboveReserved(target.path)
  const relations = relationsBaseUri(service, origin)
  const self = { target: uri, rel: 'self' }
  const others = links.filter(({ rel, templated }) => rel !== 'self' && templated === undefined)
  const all = version
    ? linksInVersion(context, version, [self, ...others])
    : [...alternateLinks(formatsFor(target.kind), uri), monitorLink(uri), ...others]
  const data = createLinkset(
    uri,
    all.map((link) => ({ ...link, rel: expandRelation(link.rel, relations) })),
  )
  return { kind: 'document', view: { kind: 'document', data }, links: [] }
}

/** The stream of the changes from now on. */
function monitorLink(uri: string): Link {
  return { target: streamUri(uri), rel: 'monitor', type: eventStream.mediaType }
}
