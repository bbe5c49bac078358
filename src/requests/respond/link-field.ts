/**
 * The Link field (RFC 8288). A response about an item or a list has the links that clients follow from header fields;
 * the linkset of the item or the list has all (RFC 9264). Documents, which have no linkset, have all of their links.
 */

import { linksetType } from '../../formats/linkset.ts'
import { cacheFormattedLink, formatLink, formatLinks, type Link } from '../../http/link.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { expandRelation, relationName } from '../../views/link-relation.ts'
import { linksetUri, uriInVersion } from '../../views/uri.ts'
import type { EventsView, FileView, StreamView, View } from '../../views/view.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsBaseUri } from '../context/service-context.ts'
import { uriWithoutFormat } from '../context/target.ts'
import { linksInVersion } from '../versions/version-links.ts'
import { alternateLinks, isWithinLinkLimit, namedFormat, otherFormats } from './offered-formats.ts'

/** The relations of items and lists in the field, besides that of the linkset. */
const fieldRelations: ReadonlySet<string> = new Set([
  'self',
  'collection',
  'describedby',
  'prev',
  'next',
  'monitor',
  'deprecation',
])

interface LinkedView {
  readonly view: View | FileView | StreamView | EventsView | undefined
  readonly links: readonly Link[]
}

/** The value of Link; empty where the response has no links. Templates are not URI references (RFC 8288 §3.1). */
export function formatLinkField(context: RequestContext, { view, links }: LinkedView): string {
  const { target, version } = context
  const hasLinkset = 'resource' in target
  const uri = namedFormat(target) === undefined ? uriWithoutFormat(target) : undefined
  let text = ''
  let self: string | undefined
  for (const link of version ? linksInVersion(context, version, links) : links) {
    // The entries of a document are linked in its content only.
    if (link.rel === 'item' || link.templated !== undefined || !isWithinLinkLimit(link)) continue
    if (link.rel === 'self') {
      self ??= link.target
      // The client knows the URI that it has requested.
      if (link.target === uri) continue
    }
    if (hasLinkset && !fieldRelations.has(link.rel)) continue
    const shown =
      link.rel === 'describedby' && hasLinkset ? withoutType(link) : withAbsoluteRelation(context, link)
    text = append(text, formatLink(shown))
  }
  if (!view) return text
  if (hasLinkset) return append(text, formatLinksetLink(context, view.kind, self))
  return self === undefined || version
    ? text
    : append(text, formatLinks(alternateLinks(otherFormats(context), self)))
}

/** The link to the other links: of the item that is shown, or of the list. */
function formatLinksetLink(
  { target, version }: RequestContext,
  shown: string,
  self: string | undefined,
): string {
  const isItem = shown === 'item'
  const path = isItem ? self?.split('?', 1)[0] : target.kind === 'collection' ? target.path : undefined
  if (path === undefined || shown === 'document' || shown === 'aggregate') return ''
  const uri = linksetUri(path)
  return formatLink({ target: version ? uriInVersion(uri, version) : uri, rel: 'linkset', type: linksetType })
}

function append(text: string, link: string): string {
  return text === '' || link === '' ? text + link : `${text}, ${link}`
}

/** The link to the schema of an item has one type everywhere. */
const withoutType = memoizeByObject(({ target, rel }: Link) => cacheFormattedLink({ target, rel }))

/** RFC 8288 §2.1.2: an extension relation is an absolute URI. */
function withAbsoluteRelation({ service, origin }: RequestContext, link: Link): Link {
  if (relationName(link.rel) === undefined) return link
  return { ...link, rel: expandRelation(link.rel, relationsBaseUri(service, origin)) }
}
