/** /events: the changes of all collections that the caller may read, as pages and as a stream. */

import { formatsFor } from '../../formats/formats.ts'
import { eventStream } from '../../formats/server-sent-events.ts'
import { parseLimit } from '../../query/list-query.ts'
import { parseAllParameters } from '../../query/query-parameter.ts'
import type { Document } from '../context/target.ts'
import { feedName, feedSchema, feedTable, loadFeedPage } from './feed-page.ts'
import { positionParameter } from './feed-query.ts'
import { createViewer } from './viewer.ts'

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
