/** Handles a request: runs the pipeline, turns what it throws into a response, and observes the result. */

import { createTrace, type RequestTrace } from '../context/request-trace.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { documentsOf } from '../documents/document-table.ts'
import { LiveBody } from '../http/live-body.ts'
import { type HttpRequest, type HttpResponse, noFields } from '../http/message.ts'
import { withCors } from '../http/origin.ts'
import { isStreamed } from '../http/streamed-body.ts'
import { handleRequest } from '../pipeline/handle-request.ts'
import { refusalPage } from '../pipeline/refusal-page.ts'
import { Refusal } from '../refusal.ts'
import { EarlyResponse } from '../respond/early-response.ts'
import { finishRefusal } from '../respond/finish-response.ts'
import { limitStream } from '../respond/stream-response.ts'
import { refusalOf } from './refusal-of-error.ts'
import { countAgainstAddress } from './unknown-callers.ts'

/** The number of requests without a response yet. */
export interface RequestGauge {
  inFlight: number
}

/** The response to a request, or a problem when handling it fails. Never rejects. */
export async function handle(
  service: ServiceContext,
  request: HttpRequest,
  requests: RequestGauge,
): Promise<HttpResponse> {
  const began = performance.now()
  requests.inFlight += 1
  service.overload.enter()
  const trace = createTrace()
  const { response, decision } = await respond(service, request, trace)
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
  requests.inFlight -= 1
  const { rateLimitFields } = trace
  const complete =
    rateLimitFields === noFields
      ? response
      : { ...response, fields: { ...rateLimitFields, ...response.fields } }
  return withCors(service.model.origins, request.fields, complete)
}

interface Outcome {
  readonly response: HttpResponse
  /** The decision that refused the request. */
  readonly decision?: string | undefined
}

/** Runs the pipeline; what it throws becomes a response. */
async function respond(service: ServiceContext, request: HttpRequest, trace: RequestTrace): Promise<Outcome> {
  try {
    const response = await handleRequest({ service, documents: documentsOf(service.model) }, request, trace)
    if (!isStreamed(response.body) || response.body instanceof LiveBody) return { response }
    const translate = (error: unknown) => refusalOf(service, request, error)
    return { response: limitStream({ service, request, trace, translate }, response, response.body) }
  } catch (thrown) {
    const error = countAgainstAddress(service, request, trace, thrown)
    if (error instanceof EarlyResponse) return { response: error.response }
    const refusal = refusalOf(service, request, error)
    const response = await respondToRefusal(service, request, refusal, trace)
    return { response, decision: refusal.decision ?? trace.decision }
  }
}

/** The problem as an HTML page when the client prefers one, else in a format for programs. */
export async function respondToRefusal(
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
    // The page queries the store; an error there must not hide the refusal.
    if (!(error instanceof Refusal)) refusalOf(service, request, error)
    return finishRefusal(service, error instanceof Refusal ? error : refusal, refused)
  }
}
