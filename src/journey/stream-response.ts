/** Responses whose body is made while it is sent: limited in number, with failures translated. */

import { anonymous, callerName } from '../access/principal.ts'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { type StreamedBody, withEnd } from '../http/streamed-body.ts'
import type { Refusal } from '../refusal.ts'
import type { Context } from './context.ts'
import type { Trace } from './journey.ts'

export interface StreamedExchange {
  readonly context: Context
  readonly request: HttpRequest
  readonly trace: Trace
  /** Notices a failure, and gives what ends the stream. */
  translate(error: unknown): Refusal
}

/** The response with its body in a place of its own. Refuses 429 or 503 where none is free. */
export function limitStream(
  { context, request, trace, translate }: StreamedExchange,
  { status, fields }: HttpResponse,
  body: StreamedBody,
): HttpResponse {
  if (request.method === 'HEAD') return { status, fields }
  trace.decision = 'streams'
  const leave = context.streams.enter(callerName(trace.who ?? anonymous, request.peer.address))
  return { status, fields, body: withEnd(translated(body, translate), leave) }
}

async function* translated(body: StreamedBody, translate: StreamedExchange['translate']) {
  try {
    yield* body
  } catch (error) {
    throw translate(error)
  }
}
