/** All documents of the service by route, and the short ones: health and metrics. */

import type { Model } from '../definition/model.ts'
import type { MovableName } from '../definition/paths.ts'
import { apiCatalog } from '../describe/documents/api-catalog.ts'
import { clientModule, clientTypes } from '../describe/documents/client-code.ts'
import { relation, relations } from '../describe/documents/link-relations.ts'
import { openApi } from '../describe/documents/openapi-document.ts'
import { problem, problems } from '../describe/documents/problem-types.ts'
import { schema, schemaIndex } from '../describe/documents/schemas.ts'
import { audit } from '../features/audit/audit-document.ts'
import { upload } from '../features/files/upload-document.ts'
import { uploadsName } from '../features/files/uploads-resource.ts'
import { formerVersion, history } from '../features/history/history-document.ts'
import { invitation } from '../features/mail/invitations/invitation.ts'
import { mails } from '../features/mail/mails.ts'
import { passwordReset, passwordResets } from '../features/mail/resets/password-resets.ts'
import { verification, verifications } from '../features/mail/verifications/verifications.ts'
import { providerCallback, providerSignIn } from '../features/providers/provider-sign-in.ts'
import { passkey } from '../features/second-factors/passkeys/passkey-document.ts'
import { secondFactor } from '../features/second-factors/second-factor-document.ts'
import { signIn, signOut } from '../features/sign-in/sign-in.ts'
import { asset } from '../html/asset-document.ts'
import { creationForm, editForm, importForm } from '../html/forms/form-documents.ts'
import { importParameter } from '../html/forms/import-view.ts'
import { docs } from '../html/pages/docs-document.ts'
import { selection } from '../html/selection/selection-document.ts'
import { prometheus } from '../operation/prometheus-format.ts'
import { status } from '../operation/status-document.ts'
import { unavailable } from '../refusal.ts'
import { StoreUnavailable } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { batch } from './batch/batch-document.ts'
import type { ServiceContext } from './context/service-context.ts'
import type { Document, DocumentTable } from './context/target.ts'
import { home } from './documents/home.ts'
import { securityTxt } from './documents/security-txt.ts'
import { events } from './events/events-document.ts'
import { explanationRoute } from './explanations/explained-access.ts'
import { accessExplanation } from './explanations/explanation-document.ts'

const live: Document = {
  route: '/health/live',
  summary: 'Whether the process is running',
  schema: { type: 'object' },
  name: 'health',
  personal: false,
  cache: 'no-store',
  loadContent: async () => ({ status: 'live' }),
}

const ready: Document = {
  route: '/health/ready',
  summary: 'Whether a load balancer may send requests here',
  schema: { type: 'object' },
  name: 'health',
  personal: false,
  cache: 'no-store',
  async loadContent(service) {
    const reason = service.whyNotReady()
    if (reason !== undefined) throw unavailable(reason)
    await requireStore(service)
    return { status: 'ready' }
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
  loadContent: async ({ formatMetrics }) => formatMetrics(),
}

/** The documents that every service has, by route, in which `{}` is the variable part, without what a definition moves. */
export const documents: DocumentTable = new Map([
  ['/', home],
  ['/openapi.json', openApi],
  ['/schemas', schemaIndex],
  ['/schemas/{}', schema],
  ['/client.js', clientModule],
  ['/client.d.ts', clientTypes],
  ['/.well-known/api-catalog', apiCatalog],
  ['/problems', problems],
  ['/problems/{}', problem],
  ['/relations', relations],
  ['/relations/{}', relation],
  ['/health/live', live],
  ['/health/ready', ready],
  ['/metrics', metrics],
  ['/assets/{}', asset],
  ['/docs', docs],
  ['/events', events],
  ['/status', status],
  ['/audit', audit],
  ['/batch', batch],
  ['/batch/{}', selection],
  ['/{}/{}/history', history],
  ['/{}/{}/history/{}', formerVersion],
  [explanationRoute, accessExplanation],
  ['/forms/{}', creationForm],
  [`/forms/{}?${importParameter}`, importForm],
  ['/forms/{}/{}', editForm],
  ['/sign-in', signIn],
  ['/sign-in/second-factor', secondFactor],
  ['/sign-in/passkey', passkey],
  ['/sign-out', signOut],
])

/** Those of a service that sends mail. */
const mailDocuments: readonly (readonly [string, Document])[] = [
  ['/password-resets', passwordResets],
  ['/password-resets/{}', passwordReset],
  ['/verifications', verifications],
  ['/verifications/{}', verification],
  ['/invitations/{}', invitation],
  ['/mails', mails],
]

/** Those of a service whose people sign in with providers. */
const providerDocuments: readonly (readonly [string, Document])[] = [
  ['/sign-in/{}', providerSignIn],
  ['/sign-in/{}/callback', providerCallback],
]

/** The documents of a service by route, those that its definition moves at their own paths. */
export const documentsOf = memoizeByObject((model: Model): DocumentTable => {
  const hasUploads = model.ownTables.has(uploadsName)
  const all = [
    ...documents,
    ...(model.mail ? mailDocuments : []),
    ...(model.providers.length > 0 ? providerDocuments : []),
    ...(model.securityContact === undefined ? [] : [[securityTxt.route, securityTxt] as const]),
    ...(hasUploads ? [['/uploads/{}', upload] as const] : []),
  ]
  return new Map(all.map(([route, document]) => [movedRoute(route, model), moved(document, model)]))
})

function moved(document: Document, model: Model): Document {
  const route = movedRoute(document.route, model)
  return route === document.route ? document : { ...document, route }
}

function movedRoute(route: string, { paths }: Model): string {
  const [, first = '', ...rest] = route.split('/')
  return Object.hasOwn(paths, first) ? ['', paths[first as MovableName], ...rest].join('/') : route
}
