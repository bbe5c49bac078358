/** Creates the parts of a service that handle requests. */

import { createAuthentication, schemeNames } from '../access/authentication-schemes.ts'
import { credentialsOf } from '../access/credentials.ts'
import { defaultPasswordCost } from '../access/password.ts'
import { createCapabilities } from '../describe/create-capabilities.ts'
import { createRateLimiter, type RateLimiter } from '../limits/rate-limit.ts'
import { createReadBudget } from '../limits/read-budget.ts'
import { createStreamLimit, defaultStreamLimits, type StreamLimits } from '../limits/stream-limit.ts'
import { createCursorCodec } from '../query/cursor.ts'
import { type Clock, defaultLimits, type ServiceContext } from '../requests/context/service-context.ts'
import { openParts } from '../requests/context/service-part.ts'
import { createChangeFeed } from '../requests/events/change-feed.ts'
import { createResponseCache } from '../requests/read/response-cache.ts'
import { clockOf } from '../store/store-clock.ts'
import { createValueEncryption } from '../tools/value-encryption.ts'
import { createExpiryClock } from './expiry-clock.ts'
import { loadFeatures } from './loaded-features.ts'
import type { CreateServiceOptions } from './service-options.ts'

const defaultRate = 1200

/** The parts of the context that depend on the process. */
export interface ProcessParts extends Pick<ServiceContext, 'observe' | 'overload' | 'operation'> {
  /** Called after each write in this process, beside the feed of changes. */
  wake(): void
}

export async function createServiceContext(
  options: CreateServiceOptions,
  { wake, ...given }: ProcessParts,
): Promise<ServiceContext> {
  const { model, store, clock = clockOf(options.store), eventStreams: limits } = options
  const { passwordCost = defaultPasswordCost } = options
  const common = { model, store, observe: given.observe, now: clock.now }
  const attempts = options.shared?.attempts
  const { schemes, accounts } = createAuthentication({ ...common, passwordCost, attempts })
  const changes = await createChangeFeed({ ...common, schemes, limits })
  const cursors = createCursorCodec(await store.loadSecret('cursor'))
  const encryption = createValueEncryption(await store.loadSecret('credentials'))
  const credentials = credentialsOf(model)
  const features = await loadFeatures(model)
  const opening = { ...common, mail: options.mail, variables: options.variables }
  const parts = await openParts(
    features.parts.flatMap(({ requests }) => requests?.parts ?? []),
    opening,
  )
  const files = await features.code.openFiles?.({ model, store, clock, changes }, options.files)
  const codeTool = await features.code.createCodeTool?.({ model, store, clock })
  return {
    ...given,
    model,
    store,
    tracer: options.tracing?.tracer,
    schemes,
    accounts: accounts &&
      credentials && {
        ...accounts,
        credentials: { resource: credentials, store, encryption, now: clock.now },
      },
    passwordCost,
    encryption,
    rateLimiter: createSharedRateLimiter(options, clock),
    readBudget: options.rate === 'off' ? undefined : createReadBudget(clock.now, options.readTime),
    streamLimit: createStreamLimit(options.streams ?? streamLimitsOf(options.overload)),
    cursors,
    changes: {
      ...changes,
      wake() {
        changes.wake()
        wake()
      },
    },
    responseCache: createResponseCache(),
    capabilities: createCapabilities(schemeNames(model), features.documents),
    tagKey: Buffer.from(await store.loadSecret('entity-tags')).toString('hex'),
    limits: { ...defaultLimits, ...options.limits },
    clock,
    expiryClock: options.clock ?? (await createExpiryClock({ store, clock, observe: given.observe })),
    publicUrl: options.publicUrl?.replace(/\/+$/, ''),
    routes: new Set(features.documents.keys()),
    parts,
    idempotencyKeysInUse: new Map(),
    files,
    codeTool,
    logic: await features.code.createLogic?.({ ...common, clock, cursors, files, codeTool }),
  }
}

function createSharedRateLimiter(
  { rate = defaultRate, shared }: CreateServiceOptions,
  clock: Clock,
): RateLimiter | undefined {
  if (rate === 'off') return undefined
  const rateLimiter = createRateLimiter(rate, clock.now)
  return shared ? shared.shareRate(rateLimiter) : rateLimiter
}

function streamLimitsOf(overload: CreateServiceOptions['overload']): StreamLimits {
  return overload === 'off' ? { perCaller: Infinity, perProcess: Infinity } : defaultStreamLimits
}
