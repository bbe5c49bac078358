/** /status: the figures of the service, for administrators. */

import type { Document } from '../requests/context/target.ts'

import { statusUri } from '../views/uri.ts'

export const status: Document = {
  route: '/status',
  summary: 'The figures of the service',
  schema: { type: 'object' },
  name: 'status',
  personal: true,
  audience: 'admin',
  async load({ service: { model, operation } }) {
    const links = [{ target: statusUri(model), rel: 'self' }]
    return { data: await operation.status(), hypermedia: { links, actions: [] } }
  },
}
