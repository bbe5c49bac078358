/** One request answered: admitted, handed to the service, its response written exactly once. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Handler, HttpRequest, HttpResponse } from '../http/message.ts'
import { Refusal, refuse } from '../refusal.ts'
import { admitRequest } from './admission.ts'
import { closeAfterResponse, type Exchange } from './connection.ts'
import { asksToClose, type Framing, writeResponse } from './response.ts'
import { isStreamed, type StreamedBody, sendStream } from './stream.ts'
import { explainRefusal, noticeRefusal, type Wire } from './wire.ts'

/** Never rejects: whatever happens, the client has its one answer or is gone. */
export async function answerExchange(wire: Wire, exchange: Exchange): Promise<void> {
  // Chunks may be malformed; where they came in the packet of the header section, the rest of
  // that packet is parsed before anything is done.
  if (exchange.content.length === undefined) await nextTurn()
  let request: HttpRequest
  try {
    request = admit(wire, exchange)
  } catch (error) {
    refuseOnWire(wire, exchange, error)
    return
  }
  const message = await handleSafely(wire, exchange, request)
  if (wire.held) await wire.held
  const body = sendResponse(wire, exchange, message)
  if (body !== undefined) await sendBody(wire, exchange, body)
}

function admit(wire: Wire, exchange: Exchange): HttpRequest {
  const { incoming, section, content, id } = exchange
  const { target, fields } = admitRequest(incoming, section, wire.limits)
  if (exchange.fault !== undefined) throw exchange.fault
  const method = incoming.method ?? ''
  return { id, method, target, fields, content, peer: exchange.peer }
}

/** RFC 9112 §2.2, §6.3: after a message refused for its form the connection cannot be trusted. */
function refuseOnWire(wire: Wire, exchange: Exchange, error: unknown): void {
  const message = explain(wire, exchange, error)
  const closing = { ...message, fields: { ...message.fields, Connection: 'close' } }
  sendResponse(wire, exchange, closing)
  noticeRefusal(wire, {
    id: exchange.id,
    method: exchange.incoming.method ?? '-',
    refusal: error instanceof Refusal ? error : refuse('internal-error'),
    milliseconds: performance.now() - exchange.began,
  })
}

async function handleSafely(
  wire: Wire,
  exchange: Exchange,
  request: HttpRequest,
): Promise<HttpResponse> {
  const handle: Handler = wire.options.handle
  try {
    return await handle(request)
  } catch (error) {
    return explain(wire, exchange, error)
  }
}

/** Gives back a body that is still to be sent, where there is one. */
function sendResponse(
  wire: Wire,
  exchange: Exchange,
  message: HttpResponse,
): StreamedBody | undefined {
  const { connection, response } = exchange
  if (connection.socket.destroyed) {
    connection.closing = true
    return undefined
  }
  const framing = frame(wire, exchange, message)
  if (framing.connection === 'close') closeAfterResponse(exchange, wire.limits.linger)
  try {
    return writeResponse(response, message, framing, wire.now())
  } catch (error) {
    // A field that is not valid: nothing has been sent yet, so the client still gets an answer.
    const fallback = explain(wire, exchange, error)
    return writeResponse(response, fallback, framing, wire.now())
  }
}

/** RFC 9112 §8: what fails on the way ends the connection, so that the client sees it is not whole. */
async function sendBody(wire: Wire, exchange: Exchange, body: StreamedBody): Promise<void> {
  const cause = await sendStream(exchange.response, body)
  if (cause === undefined) return
  exchange.connection.closing = true
  // A refusal was noticed by whoever made it.
  if (cause === 'gone' || cause instanceof Refusal) return
  wire.options.notice({ kind: 'bug', request: exchange.id, cause })
}

function frame(wire: Wire, exchange: Exchange, message: HttpResponse): Framing {
  const { incoming, peer } = exchange
  const persistent = incoming.httpVersionMinor === 0 ? 'keep-alive' : undefined
  return {
    requestId: exchange.id,
    method: incoming.method,
    secure: peer.secure,
    connection: endsConnection(wire, exchange, message) ? 'close' : persistent,
  }
}

function endsConnection(wire: Wire, exchange: Exchange, message: HttpResponse): boolean {
  if (wire.stopping || !exchange.response.shouldKeepAlive) return true
  if (exchange.fault !== undefined || asksToClose(message.fields)) return true
  // HTTP/1.0 has no chunks: such a body ends with the connection.
  if (isStreamed(message.body) && exchange.incoming.httpVersionMinor === 0) return true
  // RFC 9110 §10.1.1: the client may or may not send the content that no 100 has asked for.
  if (exchange.awaitsContinue) return true
  // Node drops what follows an ignored Upgrade in the same packet.
  if (exchange.section.fields.upgrade !== undefined) return true
  const remaining = exchange.content.remaining
  return remaining === undefined || remaining > wire.limits.remainder
}

function explain(wire: Wire, exchange: Exchange, error: unknown): HttpResponse {
  return explainRefusal(wire, error, exchange.id, exchange.section.fields)
}
