/** /events: the changes of all collections that the caller may read, as pages and as a stream. */

import type { JsonValue } from '../../definition/model.ts'
import { formatsFor } from '../../formats/formats.ts'
import { eventStream } from '../../formats/server-sent-events.ts'
import { formatQueryString } from '../../http/query-string.ts'
import { parseLimit } from '../../query/list-query.ts'
import { parseAllParameters } from '../../query/query-parameter.ts'
import { eventsUri } from '../../views/uri.ts'
import { type Document, uriWithoutFormat } from '../context/target.ts'
import { positionParameter } from './feed-query.ts'
import { createViewer } from './viewer.ts'

export const events: Document = {
  route: '/events',
  summary: 'The changes that you may see, oldest first',
  schema: {
    type: 'array',
    items: {
      type: 'object',
      properties: { id: { type: 'string' }, event: { type: 'string' }, type: { type: 'string' } },
      required: ['id', 'type'],
    },
  },
  name: 'events',
  showsItems: true,
  personal: true,
  cache: 'no-store',
  formats: [...formatsFor('document'), eventStream],
  parameters: [positionParameter, 'limit'],
  // Only `load` is used: the links depend on the content.
  loadContent: async () => [],
  async loadContentAndLinks({ service, caller, target, from, version }) {
    const { model, changes } = service
    const kept = parseAllParameters(target.query).filter(([name]) => name !== positionParameter)
    const limit = parseLimit(new Map(kept).get('limit'))
    const viewer = createViewer(
      caller,
      [...model.resources.values()].map((resource) => ({ resource })),
      version && { version },
    )
    const page = await changes.readPage(viewer, { from, limit })
    const data = page.changes.map(({ change, after }): JsonValue => {
      return { id: changes.formatPosition(after), ...changes.eventObject(change) }
    })
    const next = [...kept, [positionParameter, changes.formatPosition(page.next)] as const]
    const uri = eventsUri(model)
    const links = [
      { target: uriWithoutFormat(target), rel: 'self' },
      { target: `${uri}?${formatQueryString(next)}`, rel: 'next' },
    ]
    return { data, hypermedia: { links, actions: [] } }
  },
}
