/** Requests answered: each admitted, handed to the service, its response written exactly once. */

import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { discardBody, isStreamed, type StreamedBody } from '../http/streamed-body.ts'
import { Refusal, refuse, unavailable } from '../refusal.ts'
import { admitRequest } from './admission.ts'
import { type Connection, closeAfterResponse, type Exchange } from './connection.ts'
import { resumeReading } from './paused-reading.ts'
import { asksToClose, type Framing, writeResponse } from './response.ts'
import { sendStream } from './stream.ts'
import { endOfTurn, urgentEndOfTurn } from './turn.ts'
import { explainRefusal, isUrgent, noticeRefusal, type Wire } from './wire.ts'

/**
 * Answers what waits on a connection. RFC 9112 §9.3.2: only safe requests of a pipeline may be
 * processed at once; one after another is right for all. Never rejects: whatever happens, the
 * client has its one answer to each or is gone.
 */
export async function answerInOrder(wire: Wire, connection: Connection): Promise<void> {
  const { queue, socket } = connection
  // Together with others (turn.ts). What is malformed in a packet is known before anything is done.
  await (isUrgent(wire, queue[0]!.incoming) ? urgentEndOfTurn() : endOfTurn())
  // All in this one function: each further that is waited for costs every request something.
  while (queue.length > 0) {
    const exchange = queue[0]!
    const request = admitOrRefuse(wire, exchange)
    if (request !== undefined) {
      let message: HttpResponse
      try {
        message = await wire.options.handle(request)
      } catch (error) {
        message = explain(wire, exchange, error)
      }
      if (wire.held) await wire.held
      const body = sendResponse(wire, exchange, message)
      if (body !== undefined) await sendBody(wire, exchange, body)
    }
    queue.shift()
    if (connection.closing) queue.length = 0
  }
  // After a fault it stays paused: nothing more will be read but to end the connection.
  if (connection.fault === undefined) resumeReading(socket)
}

/** undefined where the request has been refused. */
function admitOrRefuse(wire: Wire, exchange: Exchange): HttpRequest | undefined {
  try {
    return admit(wire, exchange)
  } catch (error) {
    refuseOnWire(wire, exchange, error)
    return undefined
  }
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
    // Nothing was done for it that takes time.
    milliseconds: 0,
  })
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
    discardBody(message.body)
    return undefined
  }
  const octets = largeOctets(message)
  if (octets > 0 && !mayBuffer(wire, exchange, octets)) {
    return sendResponse(wire, exchange, refuseBuffer(wire, exchange))
  }
  const framing = frame(wire, exchange, message)
  if (framing.connection === 'close') closeAfterResponse(exchange, wire.limits.linger)
  try {
    const body = writeResponse(response, message, framing, wire.now())
    if (octets > 0 && !response.writableFinished) {
      wire.sendBuffers.add(exchange.peer.address, response, octets)
    }
    return body
  } catch (error) {
    // A field that is not valid: nothing has been sent yet, so the client still gets an answer.
    discardBody(message.body)
    const fallback = explain(wire, exchange, error)
    return writeResponse(response, fallback, framing, wire.now())
  }
}

/** Responses below this are always sent: their memory is bounded by the requests under way. */
const smallest = 65_536

/** The octets of a large body; 0 for a small one, and for one that is made while it is sent. */
function largeOctets({ body }: HttpResponse): number {
  if (body === undefined || isStreamed(body) || body.length < smallest) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

/** The outcome of a write is told in any case: it cannot be taken back. */
function mayBuffer(wire: Wire, { incoming, peer }: Exchange, octets: number): boolean {
  if (!safeMethods.has(incoming.method ?? '')) return true
  return incoming.method === 'HEAD' || wire.sendBuffers.hasRoom(peer.address, octets)
}

function refuseBuffer(wire: Wire, exchange: Exchange): HttpResponse {
  const refusal = unavailable('Too many responses wait to be read. Read those you asked for first.')
  refusal.decision = 'send-buffers'
  const { id, incoming } = exchange
  noticeRefusal(wire, { id, method: incoming.method ?? '-', refusal, milliseconds: 0 })
  return explain(wire, exchange, refusal)
}

/** RFC 9112 §8: what fails on the way ends the connection, so that the client sees it is not whole. */
async function sendBody(wire: Wire, exchange: Exchange, body: StreamedBody): Promise<void> {
  const unwatch = wire.sendBuffers.watch(exchange.connection.socket, 0)
  const cause = await sendStream(exchange.response, body)
  unwatch()
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

/** Whether the connection ends with this response. */
export function endsConnection(wire: Wire, exchange: Exchange, message: HttpResponse): boolean {
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
