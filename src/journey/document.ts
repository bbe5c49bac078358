/** The service's own resources that are documents: the entry point, problem types, health. */

import type { Principal } from '../access/principal.ts'
import type { JsonSchema, JsonValue } from '../declare/model.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { unavailable } from '../refusal.ts'
import { prometheus } from '../representations/prometheus.ts'
import type { Representation } from '../representations/representation.ts'
import { StoreTrouble } from '../store/store.ts'
import type { Hypermedia } from '../view/hypermedia.ts'
import type { Context } from './context.ts'
import { asset } from './documents/asset.ts'
import { catalog } from './documents/catalog.ts'
import { openApi, schema, schemas, script, types } from './documents/description.ts'
import { docs } from './documents/docs.ts'
import { home } from './documents/home.ts'
import { problem, problems } from './documents/problems.ts'
import { relation, relations } from './documents/relations.ts'
import { signIn, signOut } from './documents/sign-in.ts'
import { status } from './documents/status.ts'
import type { DocumentTarget } from './target.ts'

export interface Document {
  readonly route: string
  /** What it is, in a word; formats that name their root name it so. */
  readonly name?: string
  /** What it is, in a few words for its description. */
  readonly summary?: string
  /** Of what it shows as JSON; undefined: anything. */
  readonly schema?: JsonSchema
  /** Of the variable part of its route, if any; undefined: any text. */
  readonly parameter?: JsonSchema
  /** Whether what it shows differs from caller to caller. */
  readonly personal: boolean
  /** Said to caches; `no-cache` where it does not say, so that it is stored and revalidated. */
  readonly cache?: 'no-store'
  /** Who may see it; everyone, where it does not say. */
  readonly audience?: 'admin'
  /** Where it comes in other formats than those that show any document: these, best first. */
  readonly formats?: readonly Representation[]
  /** What is offered besides GET, HEAD and OPTIONS. */
  readonly methods?: readonly string[]
  /** The parameters that its query may have besides `format`. */
  readonly parameters?: readonly string[]
  /** Answers the methods it offers besides, or all where it is no representation of anything. */
  respond?(visit: Visit): Promise<HttpResponse | undefined>
  /** JSON, or octets that are sent as they are. `origin` is the one that the client asked, for what must be absolute. */
  show(
    context: Context,
    who: Principal,
    parameter: string | undefined,
    origin: string,
  ): Promise<JsonValue | Uint8Array>
  /** Where it leads; undefined: nowhere. */
  hypermedia?(
    context: Context,
    who: Principal,
    parameter: string | undefined,
  ): Promise<Hypermedia> | Hypermedia
}

/** A request that a document answers by itself, whoever asks. */
export interface Visit {
  readonly context: Context
  readonly request: HttpRequest
  readonly target: DocumentTarget
}

export interface FoundDocument {
  readonly document: Document
  readonly route: string
  readonly parameter: string | undefined
}

/** The document at a path, given as decoded segments below the base. */
export function findDocument(segments: readonly string[]): FoundDocument | undefined {
  const exact = documents.get(`/${segments.join('/')}`)
  // Joined, an empty segment or one with a slash of its own would pass for another path.
  if (exact && !segments.some((segment) => segment === '' || segment.includes('/'))) {
    return { document: exact, route: exact.route, parameter: undefined }
  }
  const [first, parameter, ...rest] = segments
  const document = documents.get(`/${first}/{}`)
  if (!document || !parameter || rest.length > 0) return undefined
  return { document, route: document.route, parameter }
}

/** The routes of all documents, for whoever must know that none is forgotten. */
export function documentRoutes(): readonly string[] {
  return [...documents.values()].map(({ route }) => route)
}

const live: Document = {
  route: '/health/live',
  summary: 'Whether the process is alive',
  schema: { type: 'object' },
  name: 'health',
  personal: false,
  cache: 'no-store',
  show: async () => ({ status: 'live' }),
}

const ready: Document = {
  route: '/health/ready',
  summary: 'Whether a load balancer may send requests here',
  schema: { type: 'object' },
  name: 'health',
  personal: false,
  cache: 'no-store',
  async show(context) {
    const reason = context.whyNotReady()
    if (reason !== undefined) throw unavailable(reason)
    await requireStore(context)
    return { status: 'ready' }
  },
}

/** A load balancer expects 503 from a probe, whatever a client that writes would be told. */
async function requireStore({ store, notice }: Context): Promise<void> {
  try {
    await store.check()
  } catch (error) {
    const reason = error instanceof StoreTrouble ? reasons[error.trouble] : undefined
    if (!(error instanceof StoreTrouble) || reason === undefined) throw error
    notice({ kind: 'store-trouble', trouble: error.trouble, cause: error })
    throw unavailable(reason, error)
  }
}

const reasons: Readonly<Partial<Record<StoreTrouble['trouble'], string>>> = {
  full: 'The disk is full.',
  unfit: 'The tables do not fit the definition.',
}

const metrics: Document = {
  route: '/metrics',
  summary: 'What is counted and measured, for Prometheus',
  schema: { type: 'string' },
  personal: true,
  audience: 'admin',
  formats: [prometheus],
  show: async ({ formatMetrics }) => formatMetrics(),
}

/** By route, the variable part of which is `{}`. */
export const documents: ReadonlyMap<string, Document> = new Map([
  ['/', home],
  ['/openapi.json', openApi],
  ['/schemas', schemas],
  ['/schemas/{}', schema],
  ['/client.js', script],
  ['/client.d.ts', types],
  ['/.well-known/api-catalog', catalog],
  ['/problems', problems],
  ['/problems/{}', problem],
  ['/relations', relations],
  ['/relations/{}', relation],
  ['/health/live', live],
  ['/health/ready', ready],
  ['/metrics', metrics],
  ['/assets/{}', asset],
  ['/docs', docs],
  ['/status', status],
  ['/sign-in', signIn],
  ['/sign-out', signOut],
])
