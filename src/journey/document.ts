/** The service's own resources that are documents: the entry point, problem types, health. */

import { conditionOf } from '../access/authorize.ts'
import type { Principal } from '../access/principal.ts'
import type { JsonValue } from '../declare/model.ts'
import { type ProblemName, problemTypes, refuse, unavailable } from '../refusal.ts'
import { prometheus } from '../representations/prometheus.ts'
import type { Representation } from '../representations/representation.ts'
import { collectionUri, homeUri, problemUri } from '../view/uri.ts'
import type { Context } from './context.ts'
import { findVisibleUri } from './visible.ts'

export interface Document {
  readonly route: string
  /** Whether what it shows differs from caller to caller. */
  readonly personal: boolean
  /** Who may see it; everyone, where it does not say. */
  readonly audience?: 'admin'
  /** Where it is not data that any format can show: the formats it comes in. */
  readonly formats?: readonly Representation[]
  show(context: Context, who: Principal, parameter: string | undefined): Promise<JsonValue>
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

const home: Document = {
  route: '/',
  personal: true,
  async show(context, who) {
    const { model } = context
    const collections = [...model.resources.values()].filter(
      (resource) => conditionOf(resource.access.read, resource, who).kind !== 'never',
    )
    const links = collections.map((resource) => [resource.name, collectionUri(model, resource)])
    return {
      title: model.title,
      links: {
        self: homeUri(model),
        ...Object.fromEntries(links),
        ...(await accountLink(context, who)),
        problems: problemUri(model, '').slice(0, -1),
      },
    }
  },
}

async function accountLink(context: Context, who: Principal) {
  const { accounts } = context.model
  if (who.kind === 'anonymous' || !accounts) return {}
  const account = await findVisibleUri(context, who, accounts.resource, who.identity)
  return account === undefined ? {} : { account }
}

const problems: Document = {
  route: '/problems',
  personal: false,
  async show({ model }) {
    const names = Object.keys(problemTypes) as ProblemName[]
    return names.map((name) => describeProblem(problemUri(model, name), name))
  },
}

const problem: Document = {
  route: '/problems/{type}',
  personal: false,
  async show({ model }, _who, parameter = '') {
    if (!Object.hasOwn(problemTypes, parameter)) throw refuse('not-found')
    return describeProblem(problemUri(model, parameter), parameter as ProblemName)
  },
}

function describeProblem(type: string, name: ProblemName): JsonValue {
  const { status, title, cause, remedy } = problemTypes[name]
  return { type, status, title, cause, remedy }
}

const live: Document = {
  route: '/health/live',
  personal: false,
  show: async () => ({ status: 'live' }),
}

const ready: Document = {
  route: '/health/ready',
  personal: false,
  async show({ store, whyNotReady }) {
    const reason = whyNotReady()
    if (reason !== undefined) throw unavailable(reason)
    await store.check()
    return { status: 'ready' }
  },
}

const metrics: Document = {
  route: '/metrics',
  personal: true,
  audience: 'admin',
  formats: [prometheus],
  show: async ({ formatMetrics }) => formatMetrics(),
}

const documents: ReadonlyMap<string, Document> = new Map([
  ['/', home],
  ['/problems', problems],
  ['/problems/{}', problem],
  ['/health/live', live],
  ['/health/ready', ready],
  ['/metrics', metrics],
])
