/** /status: the figures of the last hour, for administrators. */

import type { Document } from '../requests/context/target.ts'

import { statusUri } from '../views/uri.ts'

export const status: Document = {
  route: '/status',
  summary: 'The figures of the service in the last hour',
  schema: { type: 'object' },
  name: 'status',
  personal: true,
  audience: 'admin',
  loadContent: ({ operation }) => operation.status(),
  hypermedia({ model }) {
    return { links: [{ target: statusUri(model), rel: 'self' }], actions: [] }
  },
}
