/** Wires model, store, access and journey into one function from request to response. */

import { randomBytes } from 'node:crypto'
import { createAuthentication, schemeNames } from '../access/authentication-schemes.ts'
import { createOverloadGuard, type OverloadOptions } from '../access/overload-guard.ts'
import { createRateLimiter, type RateLimiter } from '../access/rate-limit.ts'
import type { SignInAttempts } from '../access/sign-in-attempts.ts'
import {
  createStreamLimit,
  defaultStreamLimits,
  type StreamLimits,
} from '../access/stream-limit.ts'
import type { RequestTrace } from '../context/request-trace.ts'
import {
  type Clock,
  type ContentLimits,
  defaultLimits,
  type ServiceContext,
} from '../context/service-context.ts'
import type { Model } from '../definition/model.ts'
import { createCapabilities } from '../documents/capabilities.ts'
import { documents } from '../documents/document-table.ts'
import {
  type Fields,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  noFields,
} from '../http/message.ts'
import { withCors } from '../http/origin.ts'
import { isStreamed } from '../http/streamed-body.ts'
import { createHistory, type HistorySlice } from '../observability/history.ts'
import {
  createMetrics,
  type Figures,
  formatFigures,
  type Metrics,
} from '../observability/metrics.ts'
import { sizeOf, statusFigures } from '../observability/status-figures.ts'
import { type Observer, observeAll } from '../observation.ts'
import { handleRequest } from '../pipeline/handle-request.ts'
import { refusalPage } from '../pipeline/refusal-page.ts'
import { createCursorCodec } from '../query/cursor.ts'
import { createResponseCache } from '../read/response-cache.ts'
import { Refusal, refuse, unavailable } from '../refusal.ts'
import { isOperatorPath, limitAddress } from '../request/rate-limits.ts'
import { EarlyResponse } from '../respond/early-response.ts'
import { finishRefusal } from '../respond/finish-response.ts'
import { limitStream } from '../respond/stream-response.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import type { StatusFigures } from '../view/status-figures.ts'

export interface RunningService {
  readonly model: Model
  readonly store: Store
  readonly handle: Handler
  /** Whether a request is refused as it arrives; the first of those that wait has waited so long. */
  refusesArrival(milliseconds: number): boolean
  /** Whether the request to this target is answered before all others. */
  isUrgent(target: string): boolean
  /** A refusal made before a request could be handled, such as by the wire, as a response. */
  respondToRefusal(refusal: Refusal, requestId: string, fields?: Fields): HttpResponse
  /** From now on the service is not ready, and says why; what arrives is still served. */
  retire(reason: string): void
  /** What this process has counted, and how it is. */
  figures(): Figures
  /** What it has to say of the time since it was last asked. */
  takeSlice(): HistorySlice
  /** Waits for writes under way, then lets go of the database. */
  close(): Promise<void>
}

export interface CreateServiceOptions {
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  /** Where given, the notice tells them; else they are made here and told what happens here. */
  readonly metrics?: Metrics
  readonly clock?: Clock
  readonly limits?: Partial<ContentLimits>
  /** Part of the keys of forms that ask for a password; random where it is not said. */
  readonly formSecret?: Uint8Array
  /** Requests a minute and caller; 1200 where it is not said. */
  readonly rate?: number | 'off'
  /** The URI of the entry point as clients have it; where it is not said, as they ask. */
  readonly publicUrl?: string | undefined
  /** What the process can carry; `off` admits whatever comes. */
  readonly overload?: Partial<OverloadOptions> | 'off'
  /** Streams at a time; as many as are asked for where overload is off. */
  readonly streams?: StreamLimits
  /** Where several processes are one service: what they have in common. */
  readonly shared?: SharedServices
}

export interface SharedServices {
  readonly attempts: SignInAttempts
  /** The rate of this process, made one with those of the others. */
  shareRate(rate: RateLimiter): RateLimiter
  status(): Promise<StatusFigures>
  formatMetrics(): Promise<string>
}

const defaultRate = 1200

export async function createService(options: CreateServiceOptions): Promise<RunningService> {
  const { model, store, shared: common } = options
  const clock = options.clock ?? { now: () => Date.now() }
  const metrics = options.metrics ?? createMetrics()
  const history = createHistory()
  const told = options.metrics ? [] : [metrics.observe]
  const observe = observeAll([options.observe, history.observe, ...told])
  let retired: string | undefined
  const traffic: RequestGauge = { inFlight: 0 }
  const shared = common?.attempts
  const surroundings = { model, store, observe, now: clock.now, attempts: shared }
  const { schemes, tokens, attempts } = createAuthentication(surroundings)
  const { rate: perMinute = defaultRate } = options
  const rate = perMinute === 'off' ? undefined : createRateLimiter(perMinute, clock.now)
  const figures = () => metrics.read(traffic)
  const service: ServiceContext = {
    model,
    store,
    schemes,
    attempts,
    tokens,
    rate: rate && common ? common.shareRate(rate) : rate,
    overload: createOverloadGuard(options.overload),
    streams: createStreamLimit(options.streams ?? streamLimitsOf(options.overload)),
    cursors: createCursorCodec(await store.secret('cursor')),
    responseCache: createResponseCache(),
    capabilities: createCapabilities(schemeNames(model), documents),
    formSecret: options.formSecret ?? randomBytes(32),
    limits: { ...defaultLimits, ...options.limits },
    clock,
    publicUrl: options.publicUrl?.replace(/\/+$/, ''),
    observe,
    keysInUse: new Map(),
    whyNotReady: () => retired,
    status: common?.status ?? (() => statusFigures(history, store)),
    formatMetrics: common?.formatMetrics ?? (() => formatFigures(figures())),
  }
  if (!common) history.start(() => sizeOf(store), observe)
  return {
    model,
    store,
    handle: (request) => handle(service, request, traffic),
    refusesArrival: service.overload.refusesArrival,
    isUrgent: (target) => isOperatorPath(target.slice(model.base.length)),
    respondToRefusal(refusal, id, fields) {
      const accept = fields?.accept
      const response = finishRefusal(service, refusal, { id, target: undefined, accept })
      return withCors(model.origins, fields ?? {}, response)
    },
    retire(reason) {
      retired = reason
    },
    figures,
    takeSlice: history.take,
    close() {
      metrics.close()
      history.close()
      return store.close()
    },
  }
}

function streamLimitsOf(overload: CreateServiceOptions['overload']): StreamLimits {
  return overload === 'off' ? { perCaller: Infinity, perProcess: Infinity } : defaultStreamLimits
}

/** Requests that have arrived and are not answered yet. */
interface RequestGauge {
  inFlight: number
}

/** Every request gets a response: the journey's, or a problem that says why not. Never rejects. */
async function handle(
  service: ServiceContext,
  request: HttpRequest,
  traffic: RequestGauge,
): Promise<HttpResponse> {
  const began = performance.now()
  traffic.inFlight += 1
  service.overload.enter()
  const trace: RequestTrace = {
    target: undefined,
    decision: undefined,
    allowance: noFields,
    caller: undefined,
    negotiated: undefined,
    content: undefined,
  }
  let response: HttpResponse
  let decision: string | undefined
  try {
    response = await handleRequest({ service, documents }, request, trace)
    if (isStreamed(response.body)) {
      const translate = (error: unknown) => refusalOf(service, request, error)
      response = limitStream({ service, request, trace, translate }, response, response.body)
    }
  } catch (thrown) {
    const error = countAgainstAddress(service, request, trace, thrown)
    if (error instanceof EarlyResponse) response = error.response
    else {
      const refusal = refusalOf(service, request, error)
      decision = refusal.decision ?? trace.decision
      response = await answerRefusal(service, request, refusal, trace)
    }
  }
  service.observe({
    kind: 'request',
    request: request.id,
    method: request.method,
    route: trace.target?.route ?? '-',
    status: response.status,
    milliseconds: performance.now() - began,
    ...(decision === undefined ? {} : { decision }),
  })
  service.overload.leave()
  traffic.inFlight -= 1
  if (trace.allowance !== noFields) {
    response = { ...response, fields: { ...trace.allowance, ...response.fields } }
  }
  return withCors(service.model.origins, request.fields, response)
}

/**
 * What ended the journey; 429 where it ended before its caller was known and the allowance of the
 * address is used up. What is refused for want of capacity is not counted.
 */
function countAgainstAddress(
  service: ServiceContext,
  request: HttpRequest,
  trace: RequestTrace,
  end: unknown,
): unknown {
  if (trace.caller !== undefined || trace.allowance !== noFields) return end
  const counts = end instanceof Refusal ? end.type !== 'unavailable' : end instanceof EarlyResponse
  if (!counts) return end
  try {
    trace.allowance = limitAddress(service, request)
    return end
  } catch (refusal) {
    trace.decision = 'limitAddress'
    return refusal
  }
}

/** A page where the client wants one and it can be made; else a problem for programs. */
async function answerRefusal(
  service: ServiceContext,
  request: HttpRequest,
  refusal: Refusal,
  trace: RequestTrace,
): Promise<HttpResponse> {
  const { id, fields } = request
  const refused = { id, target: trace.target, accept: fields.accept }
  try {
    const page = await refusalPage(service, refusal, request, trace)
    return finishRefusal(service, refusal, { ...refused, page })
  } catch (error) {
    // The page asks the store too: what it says of that must not hide what was refused.
    if (!(error instanceof Refusal)) refusalOf(service, request, error)
    return finishRefusal(service, error instanceof Refusal ? error : refusal, refused)
  }
}

/** Whatever was thrown, as what the client is told of it: nothing, where it is our own fault. */
function refusalOf({ observe }: ServiceContext, request: HttpRequest, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StoreUnavailable && error.reason === 'slow') {
    return unavailable(unavailableDetails.slow, error)
  }
  if (error instanceof StoreUnavailable) {
    observe({ kind: 'store-unavailable', reason: error.reason, cause: error })
    if (error.reason === 'full') return refuse('insufficient-storage', { cause: error })
    return unavailable(unavailableDetails[error.reason], error)
  }
  observe({ kind: 'bug', request: request.id, cause: error })
  return refuse('internal-error', { cause: error })
}

const unavailableDetails: Readonly<Record<Exclude<StoreUnavailable['reason'], 'full'>, string>> = {
  unreachable: 'The database cannot be reached.',
  slow: 'The list took too long. Ask for less, or filter by what is indexed.',
  unfit: 'The tables do not fit the definition. The operator must migrate the database.',
  damaged: 'The database is damaged. Nothing is written until the operator has restored it.',
}
