/** A page of a feed of changes as a document: of the service, and of a list. */

import type { JsonSchema, JsonValue } from '../../definition/model.ts'
import { formatsFor } from '../../formats/formats.ts'
import { eventStream } from '../../formats/server-sent-events.ts'
import { formatQueryString } from '../../http/query-string.ts'
import { parseLimit } from '../../query/list-query.ts'
import { parseAllParameters } from '../../query/query-parameter.ts'
import type { Hypermedia } from '../../views/hypermedia-controls.ts'
import type { EntryTable } from '../../views/view.ts'
import { type Document, type Target, uriWithoutFormat } from '../context/target.ts'
import type { ChangeFeed, FeedPageRequest } from './change-feed.ts'
import { positionParameter } from './feed-query.ts'
import { createViewer, type Viewer } from './viewer.ts'

/** The name of the root element. */
export const feedName = 'events'

export const feedTable: EntryTable = {
  title: 'Events',
  lead: 'What has changed, oldest first. Programs can follow changes as they happen.',
  empty: 'Nothing new.',
  next: 'Next →',
  columns: [
    { name: 'at', label: 'Time', shows: 'time' },
    { name: 'type', label: 'Event', shows: 'code' },
    { name: 'href', label: 'Item', shows: 'links' },
  ],
}

export const feedSchema: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { id: { type: 'string' }, event: { type: 'string' }, type: { type: 'string' } },
    required: ['id', 'type'],
  },
}

/** The events, oldest first, and the link to the next page, which there always is. */
export async function loadFeedPage(
  changes: Pick<ChangeFeed, 'readPage' | 'formatPosition' | 'eventObject'>,
  target: Target,
  { viewer, ...request }: FeedPageRequest & { readonly viewer: Viewer },
): Promise<{ readonly data: JsonValue; readonly hypermedia: Hypermedia }> {
  const page = await changes.readPage(viewer, request)
  const data = page.changes.map(({ change, after }): JsonValue => {
    return { id: changes.formatPosition(after, viewer.rights), ...changes.eventObject(change) }
  })
  const kept = parseAllParameters(target.query).filter(([name]) => name !== positionParameter)
  const next = [...kept, [positionParameter, changes.formatPosition(page.next, viewer.rights)] as const]
  const links = [
    { target: uriWithoutFormat(target), rel: 'self' },
    { target: `${target.path}?${formatQueryString(next)}`, rel: 'next' },
  ]
  return { data, hypermedia: { links, actions: [] } }
}

export const events: Document = {
  route: '/events',
  summary: 'The changes that you may see, oldest first',
  schema: feedSchema,
  name: feedName,
  table: feedTable,
  showsItems: true,
  personal: true,
  cache: 'no-store',
  hasEntityTag: false,
  formats: [...formatsFor('document'), eventStream],
  parameters: [positionParameter, 'limit'],
  async load({ service, caller, target, from, version }) {
    const limit = parseLimit(new Map(parseAllParameters(target.query)).get('limit'))
    const viewer = createViewer(
      caller,
      [...service.model.resources.values()].map((resource) => ({ resource })),
      version && { version },
    )
    return loadFeedPage(service.changes, target, { viewer, from, limit })
  },
}
