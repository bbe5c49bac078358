/** Handles a request: runs the pipeline, turns what it throws into a response, and observes the result. */

import { subjectKey } from '../access/principal.ts'
import { ConversionFailure } from '../definition/version-conversion.ts'
import { type AdapterContext, adaptRequest } from '../html/adapter.ts'
import { respondWithPage } from '../html/forms/refusal-page.ts'
import { LiveBody } from '../http/live-body.ts'
import { type HttpRequest, type HttpResponse, noFields } from '../http/message.ts'
import { knownMethods } from '../http/method.ts'
import { withCors } from '../http/origin.ts'
import { isStreamed } from '../http/streamed-body.ts'
import type { RequestObservation } from '../observation.ts'
import { type ProblemName, Refusal, refuse, unavailable } from '../refusal.ts'
import type { RequestContext } from '../requests/context/request-context.ts'
import { createTrace, type DecisionMark, type RequestTrace } from '../requests/context/request-trace.ts'
import type { ServiceContext } from '../requests/context/service-context.ts'
import { formatAllow } from '../requests/decisions/allowed-methods.ts'
import { limitAddress } from '../requests/decisions/rate-limits.ts'
import { EarlyResponse } from '../requests/respond/early-response.ts'
import { finishRefusal } from '../requests/respond/finish-response.ts'
import { limitStream } from '../requests/respond/stream-response.ts'
import { LogicFailure } from '../requests/write/logic-runner.ts'
import { DamagedContent } from '../store/file-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Span } from '../tracer.ts'

/** The response to a request, or a problem when handling it fails. Never rejects. */
export function observeRequest(adapter: AdapterContext, request: HttpRequest): Promise<HttpResponse> {
  const { service } = adapter
  if (!service.tracer) return handleObserved(adapter, request)
  const { traceparent, tracestate } = request.fields
  const origin = { id: request.id, traceparent, tracestate }
  return service.tracer.traceRequest(origin, (span) => handleObserved(adapter, request, span))
}

async function handleObserved(
  adapter: AdapterContext,
  request: HttpRequest,
  span?: Span,
): Promise<HttpResponse> {
  const began = performance.now()
  const { service } = adapter
  service.overload.enter()
  const trace = createTrace(service.tracer)
  const { response, decision, problem } = await respond(adapter, request, trace)
  const observation: RequestObservation = {
    kind: 'request',
    request: request.id,
    method: request.method,
    route: trace.target?.route ?? '-',
    status: response.status,
    milliseconds: performance.now() - began,
    ...(decision === undefined ? {} : { decision }),
    ...(problem === undefined ? {} : { problem }),
    ...(trace.context?.version ? { usage: usageOf(trace.context) } : {}),
  }
  service.observe(observation)
  span?.describe(describeRequest(observation))
  service.overload.leave()
  const declared = declaredFields(trace)
  const complete = withRequestFields(withDeclaredFields(response, declared), trace, began)
  return withCors(service.model.origins, request.fields, complete, Object.keys(declared))
}

/** The header fields that the definition declares for the resource. */
function declaredFields({ target }: RequestTrace): Readonly<Record<string, string>> {
  return target && 'resource' in target ? target.resource.headers : {}
}

/** A field of the service, such as the language of a page, is more exact than a declared one. */
function withDeclaredFields(
  response: HttpResponse,
  declared: Readonly<Record<string, string>>,
): HttpResponse {
  if (Object.keys(declared).length === 0) return response
  const own = new Set(Object.keys(response.fields).map((name) => name.toLowerCase()))
  const added = Object.entries(declared).filter(([name]) => !own.has(name.toLowerCase()))
  return { ...response, fields: { ...response.fields, ...Object.fromEntries(added) } }
}

/** The response with the fields that depend on the request alone, and are in no cache. */
function withRequestFields(response: HttpResponse, trace: RequestTrace, began: number): HttpResponse {
  const { rateLimitFields, marks } = trace
  if (rateLimitFields === noFields && !marks) return response
  const fields = { ...rateLimitFields, ...response.fields }
  // A shared cache would show the times of an administrator to others.
  const isShared = /\bpublic\b/.test(String(fields['Cache-Control']))
  if (marks && !isShared) fields['Server-Timing'] = formatServerTiming(marks, began)
  return { ...response, fields }
}

/** In milliseconds. Most decisions take less, and only make the field long. */
const minShownDuration = 0.1

/** The milliseconds of each decision of an administrator's request (https://www.w3.org/TR/server-timing/). */
function formatServerTiming(marks: readonly DecisionMark[], began: number): string {
  const now = performance.now()
  const first = marks[0]?.at ?? now
  const durations = marks.map(
    ({ decision, at }, index) => [decision.name, (marks[index + 1]?.at ?? now) - at] as const,
  )
  const noticeable = durations.filter(([, milliseconds]) => milliseconds >= minShownDuration)
  return [['authenticate', first - began] as const, ...noticeable, ['total', now - began] as const]
    .map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(2)}`)
    .join(', ')
}

/** Names come from closed sets, as in the metrics: targets and methods of clients may contain anything. */
function describeRequest({ request, method, route, status, decision }: RequestObservation) {
  const known = knownMethods.has(method) ? method : '_OTHER'
  return {
    name: `${known} ${route}`,
    attributes: {
      'http.request.method': known,
      'http.route': route,
      'http.response.status_code': status,
      'restwell.request': request,
      'restwell.decision': decision,
    },
    isError: status >= 500,
  }
}

/** The older version of the interface that a request used, and its caller as administrators see it. */
function usageOf({ version, caller, service }: RequestContext): RequestObservation['usage'] {
  if (!version) return undefined
  const accounts = service.model.accounts?.resource.name
  const named = caller.kind === 'account' ? `${accounts}/${caller.identity}` : caller.kind
  return { version: version.name, caller: caller.kind === 'external' ? subjectKey(caller) : named }
}

interface Outcome {
  readonly response: HttpResponse
  /** The decision that refused the request. */
  readonly decision?: string | undefined
  readonly problem?: ProblemName
}

/** Runs the pipeline; what it throws becomes a response. */
async function respond(adapter: AdapterContext, request: HttpRequest, trace: RequestTrace): Promise<Outcome> {
  const { service } = adapter
  try {
    const response = await adaptRequest(adapter, request, trace)
    if (!isStreamed(response.body) || response.body instanceof LiveBody) return { response }
    const translate = (error: unknown) => refusalOf(service, request, error)
    return { response: limitStream({ service, request, trace, translate }, response, response.body) }
  } catch (thrown) {
    return respondToThrown(adapter, request, trace, thrown)
  }
}

/** The response to what a decision threw. */
export async function respondToThrown(
  adapter: AdapterContext,
  request: HttpRequest,
  trace: RequestTrace,
  thrown: unknown,
): Promise<Outcome> {
  const { service } = adapter
  const error = limitUnknownCaller(service, request, trace, thrown)
  if (error instanceof EarlyResponse) return { response: error.response }
  const refusal = refusalOf(service, request, error)
  const response = withAllow(await respondToRefusal(adapter, request, refusal, trace), trace)
  return { response, decision: refusal.decision ?? trace.decision?.name, problem: refusal.type }
}

/** §15.5.6: 405 has Allow, also where code of the definition refuses with it. */
function withAllow(response: HttpResponse, { target }: RequestTrace): HttpResponse {
  if (response.status !== 405 || !target || response.fields.Allow !== undefined) return response
  return { ...response, fields: { ...response.fields, Allow: formatAllow(target) } }
}

/**
 * Whether the code of a page sent the request, or an element of one: browsers say so by Sec-Fetch-Mode
 * (https://www.w3.org/TR/fetch-metadata/), and the client, also on an origin without TLS, by a field of its own.
 */
function isFromPage(fields: HttpRequest['fields']): boolean {
  const mode = fields['sec-fetch-mode']
  return (mode !== undefined && mode !== 'navigate') || fields['restwell-client'] !== undefined
}

/** The problem as an HTML page when the client prefers one, else in a format for programs. */
async function respondToRefusal(
  { service, pages }: AdapterContext,
  request: HttpRequest,
  refusal: Refusal,
  trace: RequestTrace,
): Promise<HttpResponse> {
  const { id, fields } = request
  const refused = { id, target: trace.target, accept: fields.accept, isFromPage: isFromPage(fields) }
  try {
    const page = await respondWithPage(service, refusal, request, { trace, pages })
    return page ?? finishRefusal(service, refusal, refused)
  } catch (error) {
    // The page queries the store; an error there must not hide the refusal.
    if (!(error instanceof Refusal)) refusalOf(service, request, error)
    return finishRefusal(service, error instanceof Refusal ? error : refusal, refused)
  }
}

/**
 * Counts a request that ended before its caller was known against its address. Returns what was
 * thrown, or the 429 when the allowance of the address is used up. A 503 is not counted.
 */
export function limitUnknownCaller(
  service: ServiceContext,
  request: HttpRequest,
  trace: RequestTrace,
  thrown: unknown,
): unknown {
  if (trace.caller !== undefined || trace.rateLimitFields !== noFields) return thrown
  const isCounted =
    thrown instanceof Refusal ? thrown.type !== 'unavailable' : thrown instanceof EarlyResponse
  if (!isCounted) return thrown
  try {
    trace.rateLimitFields = limitAddress(service, request)
    return thrown
  } catch (refusal) {
    trace.decision = limitAddress
    return refusal
  }
}

/** The refusal for what was thrown. An unexpected error is reported as a bug; the client learns no details. */
export function refusalOf(
  { observe, schemes }: Pick<ServiceContext, 'observe' | 'schemes'>,
  request: HttpRequest,
  error: unknown,
): Refusal {
  if (error instanceof Refusal) {
    // A 401 needs a challenge (RFC 9110 §15.5.2), and a service without schemes has none to send.
    return error.status === 401 && schemes.offered.size === 0 ? asForbidden(error) : error
  }
  if (error instanceof LogicFailure) {
    const unavailability = findUnavailability(error.cause)
    if (unavailability) return refusalOf({ observe, schemes }, request, unavailability)
  }
  if (error instanceof StoreUnavailable && error.reason === 'slow') {
    return unavailable(unavailableDetails.slow, error)
  }
  if (error instanceof StoreUnavailable) {
    observe({ kind: 'store-unavailable', reason: error.reason, cause: error })
    if (error.reason === 'full') return refuse('insufficient-storage', { cause: error })
    return unavailable(unavailableDetails[error.reason], error)
  }
  if (error instanceof DamagedContent) {
    observe({ kind: 'file-damaged', request: request.id, cause: error })
  } else if (error instanceof LogicFailure || error instanceof ConversionFailure) {
    observe({ kind: 'logic-failed', request: request.id, hook: error.hook, cause: error })
  } else {
    observe({ kind: 'bug', request: request.id, cause: error })
  }
  return refuse('internal-error', { cause: error })
}

/** The code of a definition fails where the database does, and may give the error another one as its cause. */
function findUnavailability(cause: unknown): StoreUnavailable | undefined {
  if (cause instanceof StoreUnavailable) return cause
  return cause instanceof Error ? findUnavailability(cause.cause) : undefined
}

function asForbidden(cause: Refusal): Refusal {
  return refuse('forbidden', { detail: 'The rules of this service do not permit this.', cause })
}

const unavailableDetails: Readonly<Record<Exclude<StoreUnavailable['reason'], 'full'>, string>> = {
  unreachable: 'The stored data cannot be reached.',
  slow: 'The list took too long. Request fewer items, or filter by an indexed field.',
  unfit: 'The tables do not fit the definition. The operator must migrate the database.',
  damaged: 'The database is damaged. It is read-only until the operator restores it.',
}
