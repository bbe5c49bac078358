/** Wires model, store, access and journey into one function from request to response. */

import { randomBytes } from 'node:crypto'
import type { Attempts } from './access/attempts.ts'
import {
  type Overload,
  type OverloadOptions,
  overloadDefaults,
  overloadGuard,
} from './access/overload.ts'
import { type Rate, requestRate } from './access/rate.ts'
import { schemesOf } from './access/schemes.ts'
import { defaultStreamLimits, limitStreams, type StreamLimits } from './access/stream-limit.ts'
import type { Model } from './declare/model.ts'
import { type Notice, noticeAll } from './http/happening.ts'
import {
  type Fields,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  noFields,
} from './http/message.ts'
import { withCors } from './http/origin.ts'
import { isStreamed } from './http/streamed-body.ts'
import { isForOperators, throttleAddress } from './journey/caller.ts'
import { type Clock, type Context, defaultLimits, type Limits } from './journey/context.ts'
import { EarlyAnswer } from './journey/early.ts'
import { finishRefusal } from './journey/finish.ts'
import { journey, type Trace } from './journey/journey.ts'
import { pageMemory } from './journey/page-memory.ts'
import { refusalPage } from './journey/pages/refusal-page.ts'
import { limitStream } from './journey/stream-response.ts'
import { createHistory, type Slice } from './observe/history.ts'
import { createMetrics, type Figures, formatFigures, type Metrics } from './observe/metrics.ts'
import { sizeOf, statusFigures } from './observe/status.ts'
import { cursorSeal } from './query/cursor.ts'
import { Refusal, refuse, unavailable } from './refusal.ts'
import { type Store, StoreTrouble } from './store/store.ts'
import type { StatusFigures } from './view/status.ts'

export interface Service {
  readonly model: Model
  readonly store: Store
  readonly handle: Handler
  /** Whether a request is refused as it arrives; the first of those that wait has waited so long. */
  refusesArrival(milliseconds: number): boolean
  /** Whether the request to this target is answered before all others. */
  isUrgent(target: string): boolean
  /** A refusal made before a request could be handled, such as by the wire, as a response. */
  answerRefusal(refusal: Refusal, requestId: string, fields?: Fields): HttpResponse
  /** From now on the service is not ready, and says why; what arrives is still served. */
  retire(reason: string): void
  /** What this process has counted, and how it is. */
  figures(): Figures
  /** What it has to say of the time since it was last asked. */
  takeSlice(): Slice
  /** Waits for writes under way, then lets go of the database. */
  close(): Promise<void>
}

export interface ServiceOptions {
  readonly model: Model
  readonly store: Store
  readonly notice: Notice
  /** Where given, the notice tells them; else they are made here and told what happens here. */
  readonly metrics?: Metrics
  readonly clock?: Clock
  readonly limits?: Partial<Limits>
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
  readonly common?: Common
}

export interface Common {
  readonly attempts: Attempts
  /** The rate of this process, made one with those of the others. */
  shareRate(rate: Rate): Rate
  status(): Promise<StatusFigures>
  formatMetrics(): Promise<string>
}

const defaultRate = 1200

export async function createService(options: ServiceOptions): Promise<Service> {
  const { model, store, common } = options
  const clock = options.clock ?? { now: () => Date.now() }
  const metrics = options.metrics ?? createMetrics()
  const history = createHistory()
  const told = options.metrics ? [] : [metrics.notice]
  const notice = noticeAll([options.notice, history.notice, ...told])
  let retired: string | undefined
  const traffic: Traffic = { inFlight: 0 }
  const shared = common?.attempts
  const surroundings = { model, store, notice, now: clock.now, attempts: shared }
  const { schemes, tokens, attempts } = schemesOf(surroundings)
  const { rate: perMinute = defaultRate } = options
  const rate = perMinute === 'off' ? undefined : requestRate(perMinute, clock.now)
  const figures = () => metrics.read(traffic)
  const context: Context = {
    model,
    store,
    schemes,
    attempts,
    tokens,
    rate: rate && common ? common.shareRate(rate) : rate,
    overload: overloadOf(options.overload),
    streams: limitStreams(options.streams ?? streamLimitsOf(options.overload)),
    cursors: cursorSeal(await store.secret('cursor')),
    pages: pageMemory(),
    formSecret: options.formSecret ?? randomBytes(32),
    limits: { ...defaultLimits, ...options.limits },
    clock,
    publicUrl: options.publicUrl?.replace(/\/+$/, ''),
    notice,
    running: new Map(),
    whyNotReady: () => retired,
    status: common?.status ?? (() => statusFigures(history, store)),
    formatMetrics: common?.formatMetrics ?? (() => formatFigures(figures())),
  }
  if (!common) history.start(() => sizeOf(store), notice)
  return {
    model,
    store,
    handle: (request) => handle(context, request, traffic),
    refusesArrival: context.overload.refusesArrival,
    isUrgent: (target) => isForOperators(target.slice(model.base.length)),
    answerRefusal(refusal, id, fields) {
      const accept = fields?.accept
      const response = finishRefusal(context, refusal, { id, target: undefined, accept })
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

function overloadOf(options: ServiceOptions['overload'] = {}): Overload {
  if (options === 'off')
    return overloadGuard({
      ...overloadDefaults,
      turn: Infinity,
      concurrency: Infinity,
      wait: Infinity,
    })
  return overloadGuard({ ...overloadDefaults, ...options })
}

function streamLimitsOf(overload: ServiceOptions['overload']): StreamLimits {
  return overload === 'off' ? { perCaller: Infinity, perProcess: Infinity } : defaultStreamLimits
}

/** Requests that have arrived and are not answered yet. */
interface Traffic {
  inFlight: number
}

/** Every request gets a response: the journey's, or a problem that says why not. Never rejects. */
async function handle(
  context: Context,
  request: HttpRequest,
  traffic: Traffic,
): Promise<HttpResponse> {
  const began = performance.now()
  traffic.inFlight += 1
  context.overload.enter()
  const trace: Trace = {
    target: undefined,
    decision: undefined,
    allowance: noFields,
    who: undefined,
    asked: undefined,
    content: undefined,
  }
  let response: HttpResponse
  let decision: string | undefined
  try {
    response = await journey(context, request, trace)
    if (isStreamed(response.body)) {
      const translate = (error: unknown) => refusalOf(context, request, error)
      response = limitStream({ context, request, trace, translate }, response, response.body)
    }
  } catch (thrown) {
    const error = countedEnd(context, request, trace, thrown)
    if (error instanceof EarlyAnswer) response = error.response
    else {
      const refusal = refusalOf(context, request, error)
      decision = refusal.decision ?? trace.decision
      response = await answerRefusal(context, request, refusal, trace)
    }
  }
  context.notice({
    kind: 'request',
    request: request.id,
    method: request.method,
    route: trace.target?.route ?? '-',
    status: response.status,
    milliseconds: performance.now() - began,
    ...(decision === undefined ? {} : { decision }),
  })
  context.overload.leave()
  traffic.inFlight -= 1
  if (trace.allowance !== noFields) {
    response = { ...response, fields: { ...trace.allowance, ...response.fields } }
  }
  return withCors(context.model.origins, request.fields, response)
}

/**
 * What ended the journey; 429 where it ended before its caller was known and the allowance of the
 * address is used up. What is refused for want of capacity is not counted.
 */
function countedEnd(context: Context, request: HttpRequest, trace: Trace, end: unknown): unknown {
  if (trace.who !== undefined || trace.allowance !== noFields) return end
  const counts = end instanceof Refusal ? end.type !== 'unavailable' : end instanceof EarlyAnswer
  if (!counts) return end
  try {
    trace.allowance = throttleAddress(context, request)
    return end
  } catch (refusal) {
    trace.decision = 'throttleAddress'
    return refusal
  }
}

/** A page where the client wants one and it can be made; else a problem for programs. */
async function answerRefusal(
  context: Context,
  request: HttpRequest,
  refusal: Refusal,
  trace: Trace,
): Promise<HttpResponse> {
  const { id, fields } = request
  const refused = { id, target: trace.target, accept: fields.accept }
  try {
    const page = await refusalPage(context, refusal, request, trace)
    return finishRefusal(context, refusal, { ...refused, page })
  } catch (error) {
    // The page asks the store too: what it says of that must not hide what was refused.
    if (!(error instanceof Refusal)) refusalOf(context, request, error)
    return finishRefusal(context, error instanceof Refusal ? error : refusal, refused)
  }
}

/** Whatever was thrown, as what the client is told of it: nothing, where it is our own fault. */
function refusalOf({ notice }: Context, request: HttpRequest, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof StoreTrouble && error.trouble === 'slow') {
    return unavailable(unavailableDetails.slow, error)
  }
  if (error instanceof StoreTrouble) {
    notice({ kind: 'store-trouble', trouble: error.trouble, cause: error })
    if (error.trouble === 'full') return refuse('insufficient-storage', { cause: error })
    return unavailable(unavailableDetails[error.trouble], error)
  }
  notice({ kind: 'bug', request: request.id, cause: error })
  return refuse('internal-error', { cause: error })
}

const unavailableDetails: Readonly<Record<Exclude<StoreTrouble['trouble'], 'full'>, string>> = {
  away: 'The database cannot be reached.',
  slow: 'The list took too long. Ask for less, or filter by what is indexed.',
  unfit: 'The tables do not fit the definition. The operator must migrate the database.',
  damaged: 'The database is damaged. Nothing is written until the operator has restored it.',
}
