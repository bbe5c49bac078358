/** Documents that operators and their programs read: health, metrics and status. */

import type { Format } from '../formats/format.ts'
import { unavailable } from '../refusal.ts'
import type { ServiceContext } from '../requests/context/service-context.ts'
import type { Document } from '../requests/context/target.ts'
import { StoreUnavailable } from '../store/store.ts'
import { statusUri } from '../views/uri.ts'

export const live: Document = {
  route: '/health/live',
  summary: 'Whether the process is running',
  schema: { type: 'object' },
  name: 'health',
  personal: false,
  cache: 'no-store',
  load: () => ({ data: { status: 'live' } }),
}

export const ready: Document = {
  route: '/health/ready',
  summary: 'Whether a load balancer may send requests here',
  schema: { type: 'object' },
  name: 'health',
  personal: false,
  cache: 'no-store',
  async load({ service }) {
    const reason = service.operation.whyNotReady()
    if (reason !== undefined) throw unavailable(reason)
    await requireStore(service)
    return { data: { status: 'ready' } }
  },
}

/** Refuses 503 for every reason: a load balancer expects it, even where a write would get 507. */
async function requireStore({ store, observe }: ServiceContext): Promise<void> {
  try {
    await store.check()
  } catch (error) {
    const reason = error instanceof StoreUnavailable ? reasons[error.reason] : undefined
    if (!(error instanceof StoreUnavailable) || reason === undefined) throw error
    observe({ kind: 'store-unavailable', reason: error.reason, cause: error })
    throw unavailable(reason, error)
  }
}

const reasons: Readonly<Partial<Record<StoreUnavailable['reason'], string>>> = {
  full: 'The disk is full.',
  unfit: 'The tables do not fit the definition.',
}

/** The text format of Prometheus: the data of the document is already text in it. */
const prometheus: Format = {
  name: 'prometheus',
  mediaType: 'text/plain; version=0.0.4; charset=utf-8',
  viewKinds: new Set(),
  write(view) {
    if (view.kind === 'document' && typeof view.data === 'string') return view.data
    throw new Error('Prometheus text is written only from a document that is text')
  },
}

export const metrics: Document = {
  route: '/metrics',
  summary: 'The metrics, for Prometheus',
  schema: { type: 'string' },
  personal: true,
  audience: 'admin',
  formats: [prometheus],
  load: async ({ service: { operation } }) => ({ data: await operation.formatMetrics() }),
}

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
