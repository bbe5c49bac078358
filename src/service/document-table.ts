/** All documents of the service by route, and the short ones: health and metrics. */

import type { Model } from '../definition/model.ts'
import type { MovableName } from '../definition/paths.ts'
import { apiCatalog } from '../describe/documents/api-catalog.ts'
import { clientModule, clientTypes } from '../describe/documents/client-code.ts'
import { relation, relations } from '../describe/documents/link-relations.ts'
import { openApi } from '../describe/documents/openapi-document.ts'
import { problem, problems } from '../describe/documents/problem-types.ts'
import { schema, schemaIndex } from '../describe/documents/schemas.ts'
import { asset } from '../html/asset-document.ts'
import { creationForm, editForm, importForm } from '../html/forms/form-documents.ts'
import { docs } from '../html/pages/docs-document.ts'
import { selection } from '../html/selection/perform-selection.ts'
import { itemPreview, listPreview } from '../html/view-as/preview-document.ts'
import { prometheus } from '../operation/prometheus-format.ts'
import { status } from '../operation/status-document.ts'
import { unavailable } from '../refusal.ts'
import { batch } from '../requests/batch/batch-document.ts'
import type { ServiceContext } from '../requests/context/service-context.ts'
import type { Document, DocumentTable } from '../requests/context/target.ts'
import { home } from '../requests/documents/home.ts'
import { securityTxt } from '../requests/documents/security-txt.ts'
import { events } from '../requests/events/feed-page.ts'
import { accessExplanation } from '../requests/explanations/explanation-document.ts'
import type { RequestsPart } from '../requests/feature-code.ts'
import { StoreUnavailable } from '../store/store.ts'

const live: Document = {
  route: '/health/live',
  summary: 'Whether the process is running',
  schema: { type: 'object' },
  name: 'health',
  personal: false,
  cache: 'no-store',
  load: () => ({ data: { status: 'live' } }),
}

const ready: Document = {
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

const metrics: Document = {
  route: '/metrics',
  summary: 'The metrics, for Prometheus',
  schema: { type: 'string' },
  personal: true,
  audience: 'admin',
  formats: [prometheus],
  load: async ({ service: { operation } }) => ({ data: await operation.formatMetrics() }),
}

/** The documents that every service has, at the paths without what a definition moves. */
const ownDocuments: readonly Document[] = [
  home,
  openApi,
  schemaIndex,
  schema,
  clientModule,
  clientTypes,
  apiCatalog,
  problems,
  problem,
  relations,
  relation,
  live,
  ready,
  metrics,
  asset,
  docs,
  events,
  status,
  batch,
  selection,
  accessExplanation,
  itemPreview,
  listPreview,
]

/** No path has the routes of these as its key: the adapter of forms finds their targets. */
const forms = [creationForm, importForm, editForm]

type DocumentEntry = readonly [key: string, Document]

/** The documents of a service by route, with those of its features, at the paths that its definition moves them to. */
export function documentsOf(model: Model, ofFeatures: readonly RequestsPart[]): DocumentTable {
  const all: readonly DocumentEntry[] = [
    ...ownDocuments.map(entryOf),
    ...forms.map((form): DocumentEntry => [form.route, form]),
    ...ofFeatures.flatMap((part) => [
      ...(part.documents ?? []).map(entryOf),
      ...(part.documentsOf?.(model) ?? []),
    ]),
    ...(model.securityContact === undefined ? [] : [entryOf(securityTxt)]),
  ]
  return new Map(all.map(([key, document]) => [movedRoute(key, model), moved(document, model)]))
}

/** Its key is its route, in which `{}` is each variable part. */
function entryOf(document: Document): DocumentEntry {
  return [document.route.replaceAll(/\{\w+\}/g, '{}'), document]
}

function moved(document: Document, model: Model): Document {
  const route = movedRoute(document.route, model)
  return route === document.route ? document : { ...document, route }
}

function movedRoute(route: string, { paths }: Model): string {
  const [, first = '', ...rest] = route.split('/')
  return Object.hasOwn(paths, first) ? ['', paths[first as MovableName], ...rest].join('/') : route
}
