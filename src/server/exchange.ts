/** Requests answered: each admitted, handed to the service, its response written exactly once. */

import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { discardBody, isStreamed, type StreamedBody } from '../http/streamed-body.ts'
import { Refusal, refuse, unavailable } from '../refusal.ts'
import { type ClientConnection, closeAfterResponse, type Exchange } from './connection.ts'
import { resumeReading } from './paused-reading.ts'
import { waitForBatch, waitForEndOfTurn } from './request-batching.ts'
import { checkRequest } from './request-checks.ts'
import { explainRefusal, isUrgent, observeRefusal, type ServerContext } from './server-context.ts'
import { sendStream } from './stream-body.ts'
import { asksToClose, type Framing, writeResponse } from './write-response.ts'

/**
 * Answers what waits on a connection. RFC 9112 §9.3.2: only safe requests of a pipeline may be
 * processed at once; one after another is right for all. Never rejects: whatever happens, the
 * client has its one answer to each or is gone.
 */
export async function processQueue(
  server: ServerContext,
  connection: ClientConnection,
): Promise<void> {
  const { queue, socket } = connection
  // Together with others (turn.ts). What is malformed in a packet is known before anything is done.
  await (isUrgent(server, queue[0]!.incoming) ? waitForEndOfTurn() : waitForBatch())
  // All in this one function: each further that is waited for costs every request something.
  while (queue.length > 0) {
    const exchange = queue[0]!
    const request = checkOrRefuse(server, exchange)
    if (request !== undefined) {
      let message: HttpResponse
      try {
        message = await server.options.handle(request)
      } catch (error) {
        message = explain(server, exchange, error)
      }
      if (server.responseHold) await server.responseHold
      const body = sendResponse(server, exchange, message)
      if (body !== undefined) await sendBody(server, exchange, body)
    }
    queue.shift()
    if (connection.closing) queue.length = 0
  }
  // After a fault it stays paused: nothing more will be read but to end the connection.
  if (connection.fault === undefined) resumeReading(socket)
}

/** undefined where the request has been refused. */
function checkOrRefuse(server: ServerContext, exchange: Exchange): HttpRequest | undefined {
  try {
    return toRequest(server, exchange)
  } catch (error) {
    sendRefusal(server, exchange, error)
    return undefined
  }
}

function toRequest(server: ServerContext, exchange: Exchange): HttpRequest {
  const { incoming, section, content, id } = exchange
  const { target, fields } = checkRequest(incoming, section, server.limits)
  if (exchange.fault !== undefined) throw exchange.fault
  const method = incoming.method ?? ''
  return { id, method, target, fields, content, peer: exchange.peer }
}

/** RFC 9112 §2.2, §6.3: after a message refused for its form the connection cannot be trusted. */
function sendRefusal(server: ServerContext, exchange: Exchange, error: unknown): void {
  const message = explain(server, exchange, error)
  const closing = { ...message, fields: { ...message.fields, Connection: 'close' } }
  sendResponse(server, exchange, closing)
  observeRefusal(server, {
    id: exchange.id,
    method: exchange.incoming.method ?? '-',
    refusal: error instanceof Refusal ? error : refuse('internal-error'),
    // Nothing was done for it that takes time.
    milliseconds: 0,
  })
}

/** Gives back a body that is still to be sent, where there is one. */
function sendResponse(
  server: ServerContext,
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
  if (octets > 0 && !mayBuffer(server, exchange, octets)) {
    return sendResponse(server, exchange, refuseBuffer(server, exchange))
  }
  const framing = createFraming(server, exchange, message)
  if (framing.connection === 'close') closeAfterResponse(exchange, server.limits.linger)
  try {
    const body = writeResponse(response, message, framing, server.now())
    if (octets > 0 && !response.writableFinished) {
      server.sendBuffers.add(exchange.peer.address, response, octets)
    }
    return body
  } catch (error) {
    // A field that is not valid: nothing has been sent yet, so the client still gets an answer.
    discardBody(message.body)
    const fallback = explain(server, exchange, error)
    return writeResponse(response, fallback, framing, server.now())
  }
}

/** Responses below this are always sent: their memory is bounded by the requests under way. */
const minLargeOctets = 65_536

/** The octets of a large body; 0 for a small one, and for one that is made while it is sent. */
function largeOctets({ body }: HttpResponse): number {
  if (body === undefined || isStreamed(body) || body.length < minLargeOctets) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

/** The outcome of a write is told in any case: it cannot be taken back. */
function mayBuffer(server: ServerContext, { incoming, peer }: Exchange, octets: number): boolean {
  if (!safeMethods.has(incoming.method ?? '')) return true
  return incoming.method === 'HEAD' || server.sendBuffers.hasRoom(peer.address, octets)
}

function refuseBuffer(server: ServerContext, exchange: Exchange): HttpResponse {
  const refusal = unavailable('Too many responses wait to be read. Read those you asked for first.')
  refusal.decision = 'send-buffers'
  const { id, incoming } = exchange
  observeRefusal(server, { id, method: incoming.method ?? '-', refusal, milliseconds: 0 })
  return explain(server, exchange, refusal)
}

/** RFC 9112 §8: what fails on the way ends the connection, so that the client sees it is not whole. */
async function sendBody(
  server: ServerContext,
  exchange: Exchange,
  body: StreamedBody,
): Promise<void> {
  const unwatch = server.sendBuffers.watch(exchange.connection.socket, 0)
  const cause = await sendStream(exchange.response, body)
  unwatch()
  if (cause === undefined) return
  exchange.connection.closing = true
  // A refusal was noticed by whoever made it.
  if (cause === 'gone' || cause instanceof Refusal) return
  server.options.observe({ kind: 'bug', request: exchange.id, cause })
}

function createFraming(server: ServerContext, exchange: Exchange, message: HttpResponse): Framing {
  const { incoming, peer } = exchange
  const persistent = incoming.httpVersionMinor === 0 ? 'keep-alive' : undefined
  return {
    requestId: exchange.id,
    method: incoming.method,
    secure: peer.secure,
    connection: endsConnection(server, exchange, message) ? 'close' : persistent,
  }
}

/** Whether the connection ends with this response. */
export function endsConnection(
  server: ServerContext,
  exchange: Exchange,
  message: HttpResponse,
): boolean {
  if (server.stopping || !exchange.response.shouldKeepAlive) return true
  if (exchange.fault !== undefined || asksToClose(message.fields)) return true
  // HTTP/1.0 has no chunks: such a body ends with the connection.
  if (isStreamed(message.body) && exchange.incoming.httpVersionMinor === 0) return true
  // RFC 9110 §10.1.1: the client may or may not send the content that no 100 has asked for.
  if (exchange.awaitsContinue) return true
  // Node drops what follows an ignored Upgrade in the same packet.
  if (exchange.section.fields.upgrade !== undefined) return true
  const remaining = exchange.content.remaining
  return remaining === undefined || remaining > server.limits.remainder
}

function explain(server: ServerContext, exchange: Exchange, error: unknown): HttpResponse {
  return explainRefusal(server, error, exchange.id, exchange.section.fields)
}
