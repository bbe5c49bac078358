/** The changes of the service, of a list with its filters, and of an item: streams, and the page of a list. */

import { IDENTITY } from '../../definition/model.ts'
import { LiveBody } from '../../http/live-body.ts'
import type { HttpRequest } from '../../http/message.ts'
import { invalidParameter } from '../../query/query-parameter.ts'
import { all } from '../../store/condition.ts'
import type { RequestContext } from '../context/request-context.ts'
import { relationsBaseUri } from '../context/service-context.ts'
import type { CollectionTarget } from '../context/target.ts'
import type { ResolvedQuery } from '../decisions/resolved-query.ts'
import { type AbsentItem, type CurrentState, type LoadedDocument, parentOf } from '../read/current-state.ts'
import { findVisibleUri } from '../read/find-item.ts'
import { loadParent, readConditionOf } from '../read/load-parent.ts'
import { streamCacheControl } from '../respond/cacheability.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { feedName, feedTable, loadFeedPage } from './feed-page.ts'
import { type ChangeSelection, createViewer, type Viewer } from './viewer.ts'

/** 200 with the stream; refuses 429 and 503 where there are too many. */
export async function streamEvents(
  context: RequestContext,
  current: CurrentState,
  query: ResolvedQuery,
  request: HttpRequest,
): Promise<ViewResponse> {
  const { service, method } = context
  const viewer = viewerOf(context, current, query)
  const { fields, client } = request
  const credentials = { method: request.method, fields, client }
  const isFound = anchorCheck(context, current)
  const body =
    method === 'HEAD'
      ? endedBody()
      : await service.changes.open({ viewer, from: query.feedStart, credentials, isFound })
  return {
    status: 200,
    view: { kind: 'events', body },
    links: [],
    // nginx would hold events back.
    fields: { 'Cache-Control': streamCacheControl, 'X-Accel-Buffering': 'no' },
  }
}

/** A page of the changes of a list; of a sub-collection the parent first, which decides whether it exists. */
export async function loadListFeed(
  context: RequestContext<CollectionTarget>,
  query: ResolvedQuery,
): Promise<LoadedDocument | AbsentItem> {
  const { service, target, format, origin } = context
  const parent = target.parent && (await loadParent(context, target.parent))
  if (parent?.kind === 'absent') return parent
  if (!query.list) throw new Error('A feed of a list has the query of the list')
  const viewer = viewerOf(context, { kind: 'streamed', parent }, query)
  const request = { viewer, from: query.feedStart, limit: query.list.limit }
  const { data, hypermedia } = await loadFeedPage(service.changes, target, request)
  const relations = relationsBaseUri(service, origin)
  const shown = format.hypermedia ? { hypermedia: { ...hypermedia, relations } } : {}
  const view = { kind: 'document', name: feedName, table: feedTable, data, ...shown } as const
  return { kind: 'document', view, links: hypermedia.links }
}

function viewerOf(context: RequestContext, current: CurrentState, query: ResolvedQuery): Viewer {
  const { caller, version } = context
  const { members } = query.selection
  return createViewer(caller, selectionsOf(context, current, query), version && { version, members })
}

/**
 * Tells whether the item that the URI names can still be read: the item itself, or the parent of a
 * sub-collection. Undefined where the URI names none.
 */
function anchorCheck({ unit, caller }: RequestContext, current: CurrentState) {
  const anchor =
    current.kind === 'found' ? { resource: current.rights.resource, row: current.row } : parentOf(current)
  if (!anchor) return undefined
  const { resource } = anchor
  const identity = String(anchor.row[IDENTITY])
  return async () => (await findVisibleUri(unit, caller, resource, identity)) !== undefined
}

function selectionsOf(
  { service, caller, target }: RequestContext,
  current: CurrentState,
  { list, selection }: ResolvedQuery,
): readonly ChangeSelection[] {
  const { fields } = selection
  if (target.kind === 'item' && current.kind === 'found') {
    return [{ resource: target.resource, identity: String(current.row[IDENTITY]), fields }]
  }
  if (target.kind === 'collection' && list) {
    const [derived] = list.derived
    if (derived) throw invalidParameter(derived.field.name, 'is a derived field, whose changes are no events')
    const readable = readConditionOf(target, caller, parentOf(current))
    return [{ resource: target.resource, filter: all([readable, list.condition]), fields }]
  }
  // The viewer shows the collections that the caller may read.
  return [...service.model.resources.values()].map((resource) => ({ resource }))
}

function endedBody(): LiveBody {
  const body = new LiveBody(() => undefined)
  body.end()
  return body
}
