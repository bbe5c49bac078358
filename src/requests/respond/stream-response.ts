/** Limits the number of streamed responses, and translates the errors of their bodies. */

import { anonymous, requesterOf } from '../../access/principal.ts'
import type { HttpRequest, HttpResponse } from '../../http/message.ts'
import { type StreamedBody, withEndCallback } from '../../http/streamed-body.ts'
import { partsFor } from '../../limits/requester.ts'
import type { Refusal } from '../../refusal.ts'
import type { RequestTrace } from '../context/request-trace.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { isFileTarget } from '../context/target.ts'

interface StreamedExchange {
  readonly service: ServiceContext
  readonly request: HttpRequest
  readonly trace: RequestTrace
  /** Reports the error to the observer and returns the refusal that ends the stream. */
  translate(error: unknown): Refusal
}

/** The response, whose body occupies a stream until it ends. Refuses 429 or 503 when none is free. */
export function limitStream(
  { service, request, trace, translate }: StreamedExchange,
  { status, fields }: HttpResponse,
  body: StreamedBody,
): HttpResponse {
  if (request.method === 'HEAD') return { status, fields }
  trace.decision = limitStream
  const files = isFileTarget(trace.target) ? service.files : undefined
  const limit = files?.streams ?? service.streamLimit
  const requester = requesterOf(trace.caller ?? anonymous, request.client.address, service)
  const leave = limit.enter(requester.caller)
  return { status, fields, body: withEndCallback(translated(partsFor(requester, body), translate), leave) }
}

async function* translated(body: StreamedBody, translate: StreamedExchange['translate']) {
  try {
    yield* body
  } catch (error) {
    throw translate(error)
  }
}
