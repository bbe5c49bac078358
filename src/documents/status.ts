/** /status: how the service has been doing for the last hour, for those who run it. */

import type { Document } from '../context/target.ts'
import { statusUri } from '../view/uri.ts'

export const status: Document = {
  route: '/status',
  summary: 'How the service has been doing for the last hour',
  schema: { type: 'object' },
  name: 'status',
  personal: true,
  audience: 'admin',
  show: ({ status: readFigures }) => readFigures(),
  hypermedia({ model }) {
    return { links: [{ target: statusUri(model), rel: 'self' }], actions: [] }
  },
}
