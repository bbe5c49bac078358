/** All documents of the service by route, and the short ones: health and metrics. */

import type { ServiceContext } from '../context/service-context.ts'
import type { Document, DocumentTable } from '../context/target.ts'
import type { Model } from '../definition/model.ts'
import type { MovableName } from '../definition/paths.ts'
import { uploadsTable } from '../definition/uploads-resource.ts'
import { unavailable } from '../refusal.ts'
import { prometheus } from '../representations/prometheus-format.ts'
import { explanationRoute } from '../request/explained-access.ts'
import { StoreUnavailable } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { importParameter } from '../view/import-form.ts'
import { accessExplanation } from './access-explanation.ts'
import { apiCatalog } from './api-catalog.ts'
import { asset } from './asset-document.ts'
import { audit } from './audit.ts'
import { batch } from './batch.ts'
import { clientModule, clientTypes } from './client-code.ts'
import { docs } from './docs.ts'
import { events } from './events.ts'
import { creationForm, editForm, importForm } from './forms.ts'
import { formerVersion, history } from './history.ts'
import { home } from './home.ts'
import { invitation } from './invitation.ts'
import { relation, relations } from './link-relations.ts'
import { mails } from './mails.ts'
import { openApi } from './openapi-document.ts'
import { passkey } from './passkey.ts'
import { passwordReset, passwordResets } from './password-resets.ts'
import { problem, problems } from './problem-types.ts'
import { providerCallback, providerSignIn } from './provider-sign-in.ts'
import { schema, schemaIndex } from './schemas.ts'
import { secondFactor } from './second-factor.ts'
import { securityTxt } from './security-txt.ts'
import { selection } from './selection.ts'
import { signIn, signOut } from './sign-in.ts'
import { status } from './status.ts'
import { upload } from './upload.ts'
import { verification, verifications } from './verifications.ts'

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
  const hasUploads = model.ownTables.has(uploadsTable)
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
