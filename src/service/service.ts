/** Creates a service: one function from request to response, with its limits, metrics and documents. */

import { randomBytes } from 'node:crypto'
import { createAuthentication, schemeNames } from '../access/authentication-schemes.ts'
import { createChangeFeed } from '../changes/change-feed.ts'
import {
  type Clock,
  type ContentLimits,
  defaultLimits,
  type ServiceContext,
} from '../context/service-context.ts'
import type { Model } from '../definition/model.ts'
import { documents } from '../documents/document-table.ts'
import { createCapabilities } from '../documents/service-capabilities.ts'
import type { Fields, Handler, HttpResponse } from '../http/message.ts'
import { withCors } from '../http/origin.ts'
import { createOverloadGuard, type OverloadOptions } from '../limits/overload-guard.ts'
import { createRateLimiter, type RateLimiter } from '../limits/rate-limit.ts'
import type { SignInAttempts } from '../limits/sign-in-attempts.ts'
import { createStreamLimit, defaultStreamLimits, type StreamLimits } from '../limits/stream-limit.ts'
import type { AfterHookOptions, AfterHookRunner } from '../logic/after-hook-runner.ts'
import { createHistory, type HistorySlice } from '../observability/history.ts'
import { createMetrics, type Figures, formatFigures, type Metrics } from '../observability/metrics.ts'
import { logFiguresOf, sizeOf, statusFigures } from '../observability/status-sources.ts'
import { type Observer, observeAll } from '../observation.ts'
import { createCursorCodec } from '../query/cursor.ts'
import { createResponseCache } from '../read/response-cache.ts'
import type { Refusal } from '../refusal.ts'
import { isOperatorPath } from '../request/rate-limits.ts'
import { finishRefusal } from '../respond/finish-response.ts'
import type { Store } from '../store/store.ts'
import type { StatusFigures } from '../view/status-figures.ts'
import { createSecretSealing } from '../webhooks/secret-sealing.ts'
import { sealAudit, startAuditSealing } from './audit-sealing.ts'
import { handle, type RequestGauge } from './handle.ts'
import { createLazySystem } from './lazy-system.ts'
import { loadAfterHookRunner, loadLogicRunner, loadScheduleRunner } from './load-logic.ts'
import { retentionOf, startLogPruning } from './log-pruning.ts'
import { sealingKeyName, startWebhooks, type WebhookSenderOptions } from './webhook-sender.ts'

export interface RunningService {
  readonly model: Model
  readonly store: Store
  readonly handle: Handler
  /** The collections with all rights, by name; `LogicCollections` has their types. */
  readonly system: Readonly<Record<string, object>>
  /** Resolves when the `after` hooks of all changes have run. Rejects with the failure of one that failed. */
  settled(): Promise<void>
  /** Queues the `after` hooks of all changes so far, so that the change log can be pruned. */
  queueAfterHooks(): Promise<void>
  /** Whether to refuse an arriving request, when the oldest queued one has waited so long. */
  refusesArrival(milliseconds: number): boolean
  /** Whether a request for this target is handled before all others. */
  isUrgent(target: string): boolean
  /** The response to a refusal from before a request can be handled, such as a parser error. */
  respondToRefusal(refusal: Refusal, requestId: string, fields?: Fields): HttpResponse
  /** Makes /health/ready refuse with this reason; requests are still handled. */
  retire(reason: string): void
  /** The counters and gauges of this process. */
  figures(): Figures
  /** The figures since the last call. */
  takeSlice(): HistorySlice
  /** Waits for writes in progress, then closes the store. */
  close(): Promise<void>
}

export interface CreateServiceOptions {
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  /** Metrics that `observe` feeds already; by default the service creates and feeds its own. */
  readonly metrics?: Metrics
  readonly clock?: Clock
  readonly limits?: Partial<ContentLimits>
  /** Keys the form keys of forms with a password; random by default. */
  readonly formSecret?: Uint8Array
  /** Requests for each minute and caller; 1200 by default. */
  readonly rate?: number | 'off'
  /** The URI of the entry point for clients; by default the origin that they use. */
  readonly publicUrl?: string | undefined
  /** When the process is overloaded; `off`: never. */
  readonly overload?: Partial<OverloadOptions> | 'off'
  /** Streams at a time; not limited when `overload` is `off`. */
  readonly streams?: StreamLimits
  /** Streams of changes at a time. */
  readonly eventStreams?: StreamLimits
  /** How webhooks are sent; the defaults are for all but tests. */
  readonly webhooks?: WebhookSenderOptions['sending']
  /** How `after` hooks run; the defaults are for all but tests. */
  readonly after?: AfterHookOptions
  /** The services that the processes of one service share. */
  readonly shared?: SharedServices
}

/** The services that the processes of one service share. */
export interface SharedServices {
  readonly attempts: SignInAttempts
  /** The rate limiter that counts the requests of all processes. */
  shareRate(rateLimiter: RateLimiter): RateLimiter
  status(): Promise<StatusFigures>
  formatMetrics(): Promise<string>
}

const defaultRate = 1200

/** Creates the service on an open store. */
export async function createService(options: CreateServiceOptions): Promise<RunningService> {
  const { model, store, shared } = options
  const clock = options.clock ?? { now: () => Date.now() }
  const metrics = options.metrics ?? createMetrics()
  const history = createHistory()
  const ownMetrics = options.metrics ? [] : [metrics.observe]
  const observe = observeAll([options.observe, history.observe, ...ownMetrics])
  let retired: string | undefined
  const requests: RequestGauge = { inFlight: 0 }
  const { schemes, tokens, attempts } = createAuthentication({
    model,
    store,
    observe,
    now: clock.now,
    attempts: shared?.attempts,
  })
  const { rate: perMinute = defaultRate } = options
  const rateLimiter = perMinute === 'off' ? undefined : createRateLimiter(perMinute, clock.now)
  const changes = await createChangeFeed({
    model,
    store,
    schemes,
    observe,
    now: clock.now,
    limits: options.eventStreams,
  })
  let afterHooks: AfterHookRunner | undefined
  const sender = shared
    ? undefined
    : await startWebhooks({ model, store, observe, now: clock.now, sending: options.webhooks })
  const wake = () => {
    changes.wake()
    sender?.wake()
    afterHooks?.wake()
  }
  const figures = () => metrics.read(requests)
  const cursors = createCursorCodec(await store.loadSecret('cursor'))
  const service: ServiceContext = {
    model,
    store,
    schemes,
    signInAttempts: attempts,
    tokens,
    rateLimiter: rateLimiter && shared ? shared.shareRate(rateLimiter) : rateLimiter,
    overload: createOverloadGuard(options.overload),
    streamLimit: createStreamLimit(options.streams ?? streamLimitsOf(options.overload)),
    cursors,
    changes: { ...changes, wake },
    responseCache: createResponseCache(),
    webhookSecrets: createSecretSealing(await store.loadSecret(sealingKeyName)),
    capabilities: createCapabilities(schemeNames(model), documents),
    formSecret: options.formSecret ?? randomBytes(32),
    limits: { ...defaultLimits, ...options.limits },
    clock,
    publicUrl: options.publicUrl?.replace(/\/+$/, ''),
    observe,
    idempotencyKeysInUse: new Map(),
    logic: await loadLogicRunner({ model, store, clock, cursors, observe }),
    whyNotReady: () => retired,
    sealAudit: () => sealAudit(store.audit, model),
    status: shared?.status ?? (() => statusFigures({ history, store, model })),
    formatMetrics:
      shared?.formatMetrics ?? (async () => formatFigures(figures(), await logFiguresOf(store, model))),
  }
  // Registered before the first request, so that no change is missed.
  afterHooks = await loadAfterHookRunner(service, options.after)
  afterHooks?.start()
  const schedules = await loadScheduleRunner(service)
  schedules?.start()
  if (!shared) history.start(() => sizeOf(store), observe)
  const queueAfterHooks = async () => afterHooks?.queueAll()
  const pruning = { store, clock, ...retentionOf(model), queueWork: queueAfterHooks }
  const stopPruning = shared ? () => undefined : startLogPruning(pruning, observe)
  const stopSealing = shared ? () => undefined : startAuditSealing(store.audit, model, observe)
  return {
    model,
    store,
    handle: (request) => handle(service, request, requests),
    system: createLazySystem(service),
    settled: async () => afterHooks?.settled(),
    queueAfterHooks,
    refusesArrival: service.overload.refusesArrival,
    isUrgent: (target) => isOperatorPath(target.slice(model.base.length)),
    respondToRefusal(refusal, id, fields) {
      const accept = fields?.accept
      const response = finishRefusal(service, refusal, { id, target: undefined, accept })
      return withCors(model.origins, fields ?? {}, response)
    },
    retire(reason) {
      retired = reason
      changes.close()
    },
    figures,
    takeSlice: history.take,
    async close() {
      changes.close()
      metrics.close()
      history.close()
      stopPruning()
      stopSealing()
      await sender?.close()
      await afterHooks?.close()
      await schedules?.close()
      await store.close()
    },
  }
}

function streamLimitsOf(overload: CreateServiceOptions['overload']): StreamLimits {
  return overload === 'off' ? { perCaller: Infinity, perProcess: Infinity } : defaultStreamLimits
}
