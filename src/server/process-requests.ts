/** Processes the requests of a connection: checks each, calls the service, writes one response. */

import type { Socket } from 'node:net'
import type { HttpRequest, HttpResponse } from '../http/message.ts'
import { safeMethods } from '../http/method.ts'
import { discardBody, isStreamed, type StreamedBody } from '../http/streamed-body.ts'
import { Refusal, refuse, unavailable } from '../refusal.ts'
import { type ClientConnection, closeAfterResponse, type Exchange } from './connection.ts'
import { asksToUpgrade } from './ignored-upgrade.ts'
import { countWaiting, waitForBatch, waitForEndOfTurn } from './request-batching.ts'
import { checkRequest } from './request-checks.ts'
import { explainRefusal, isUrgent, observeRefusal, type ServerContext } from './server-context.ts'
import { sendStream } from './stream-body.ts'
import { asksToClose, type Framing, writeResponse } from './write-response.ts'

/**
 * Processes the queue of a connection, one request after the other (RFC 9112 §9.3.2). Never
 * rejects: each request gets one response, or the connection is closed.
 */
export async function processRequests(server: ServerContext, connection: ClientConnection): Promise<void> {
  const { queue, socket } = connection
  // By then the whole packet is parsed, so a malformed request in it is known.
  await (isUrgent(server, queue[0]!.incoming) ? waitForEndOfTurn() : waitForBatch())
  // One function, since each further await costs every request.
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
  // After a fault the connection stays paused until it closes.
  if (connection.fault === undefined) resumeReading(socket)
}

/** Returns undefined when it has refused the request. */
function checkOrRefuse(server: ServerContext, exchange: Exchange): HttpRequest | undefined {
  try {
    return toRequest(server, exchange)
  } catch (error) {
    sendRefusal(server, exchange, error)
    return undefined
  }
}

function toRequest(server: ServerContext, exchange: Exchange): HttpRequest {
  const { incoming, headerSection, content, id } = exchange
  const { peer } = exchange.connection
  const { target, fields } = checkRequest(incoming, headerSection, {
    limits: server.limits,
    servesHttps: () => peer.secure || server.trusted.has(peer.address),
  })
  if (exchange.fault !== undefined) throw exchange.fault
  const method = incoming.method ?? ''
  const isAbandoned = () => exchange.connection.socket.destroyed
  return { id, method, target, fields, content, client: exchange.client, isAbandoned }
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
    milliseconds: 0,
  })
}

/** Writes the response. Returns its streamed body, which is still to be sent. */
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
      server.sendBuffers.add(exchange.client.address, response, octets)
    }
    return body
  } catch (error) {
    // A header field was invalid and nothing has been sent, so another response is possible.
    discardBody(message.body)
    const fallback = explain(server, exchange, error)
    return writeResponse(response, fallback, framing, server.now())
  }
}

/** Smaller responses are always sent: the number of requests bounds their memory. */
const minLargeOctets = 65_536

/** The octets of a large body; 0 for small and streamed bodies. */
function largeOctets({ body }: HttpResponse): number {
  if (body === undefined || isStreamed(body) || body.length < minLargeOctets) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

/** The response to a write is always sent, since the write is committed. */
function mayBuffer(server: ServerContext, { incoming, client }: Exchange, octets: number): boolean {
  if (!safeMethods.has(incoming.method ?? '')) return true
  return incoming.method === 'HEAD' || server.sendBuffers.hasRoom(client.address, octets)
}

function refuseBuffer(server: ServerContext, exchange: Exchange): HttpResponse {
  const refusal = unavailable('You have too many unread responses. Read them first.')
  refusal.decision = 'send-buffers'
  const { id, incoming } = exchange
  observeRefusal(server, { id, method: incoming.method ?? '-', refusal, milliseconds: 0 })
  return explain(server, exchange, refusal)
}

/** RFC 9112 §8: what fails on the way ends the connection, so that the client sees it is not whole. */
async function sendBody(server: ServerContext, exchange: Exchange, body: StreamedBody): Promise<void> {
  const unwatch = server.sendBuffers.watch(exchange.connection.socket, 0)
  const cause = await sendStream(exchange.response, body)
  unwatch()
  if (cause === undefined) return
  exchange.connection.closing = true
  // A refusal is observed where it is created.
  if (cause === 'gone' || cause instanceof Refusal) return
  server.options.observe({ kind: 'bug', request: exchange.id, cause })
}

function createFraming(server: ServerContext, exchange: Exchange, message: HttpResponse): Framing {
  const { incoming, client } = exchange
  const persistent = incoming.httpVersionMinor === 0 ? 'keep-alive' : undefined
  return {
    requestId: exchange.id,
    method: incoming.method,
    secure: client.secure,
    connection: endsConnection(server, exchange, message) ? 'close' : persistent,
  }
}

/** Whether the connection closes after this response. */
export function endsConnection(server: ServerContext, exchange: Exchange, message: HttpResponse): boolean {
  if (server.stopping || !exchange.response.shouldKeepAlive) return true
  if (exchange.fault !== undefined || asksToClose(message.fields)) return true
  // HTTP/1.0 has no chunks: a body without a length ends with the connection.
  const hasEnd = !isStreamed(message.body) || message.fields['Content-Length'] !== undefined
  if (!hasEnd && exchange.incoming.httpVersionMinor === 0) return true
  // RFC 9110 §10.1.1: the client may or may not send the content that no 100 has asked for.
  if (exchange.awaitsContinue) return true
  // Node drops what follows it in the same packet.
  if (asksToUpgrade(exchange.headerSection.fields)) return true
  const remaining = exchange.content.remaining
  return remaining === undefined || remaining > server.limits.remainder
}

function explain(server: ServerContext, exchange: Exchange, error: unknown): HttpResponse {
  return explainRefusal(server, error, exchange.id, exchange.headerSection.fields)
}

/** From this number of waiting requests on, connections are paused after their response. */
const maxWaitingRequests = 128

const pausedSockets = new Set<Socket>()

/** Resumes reading after a response: at once, or when fewer requests wait. */
export function resumeReading(socket: Socket): void {
  if (countWaiting() < maxWaitingRequests) {
    if (socket.isPaused()) socket.resume()
    return
  }
  if (pausedSockets.size === 0) setImmediate(resumePaused)
  socket.pause()
  pausedSockets.add(socket)
}

function resumePaused(): void {
  let room = maxWaitingRequests - countWaiting()
  for (const socket of pausedSockets) {
    if (room <= 0) break
    room -= 1
    pausedSockets.delete(socket)
    socket.resume()
  }
  if (pausedSockets.size > 0) setImmediate(resumePaused)
}
