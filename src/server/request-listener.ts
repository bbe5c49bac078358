/**
 * The socket side of the service: requests of Node become messages, messages become responses,
 * by the rules of RFC 9112. Each request gets one answer, in order, whatever arrives.
 */

import { randomUUIDv7 } from 'node:crypto'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Networks, noNetworks } from '../http/ip-network.ts'
import type { Fields, Peer } from '../http/message.ts'
import { createArrivalGuard } from './arrival-guard.ts'
import { clientOf, traceIdOf } from './client-address.ts'
import { handleClientError, refuseConnect } from './client-error.ts'
import { type ClientConnection, connectionOf, type Exchange } from './connection.ts'
import { limitConnections } from './connection-limit.ts'
import { processQueue } from './exchange.ts'
import { hasContent, IncomingContent, noContent } from './request-content.ts'
import { readFieldLines } from './request-field-lines.ts'
import { createSendBuffers } from './send-buffers.ts'
import type { ServerContext, ServerContextOptions } from './server-context.ts'
import { defaultLimits, type SocketLimits } from './socket-limits.ts'

export interface SocketServer {
  readonly limits: SocketLimits
  /** A plain Node listener, to mount in a server of one's own. */
  readonly listener: RequestListener
  /** Makes this server ours, with all the rules that a listener alone cannot keep. */
  attach(server: Server): void
  /** Whether it is on its way out: `ready` is then 503. */
  readonly stopping: boolean
  /** From now on every response says Connection: close. */
  beginStopping(): void
  /** Keeps responses back until the function it gives is called. */
  holdResponses(): () => void
}

export function createSocketServer(options: ServerContextOptions): SocketServer {
  const trusted = options.trusted ?? noNetworks
  const limits = Object.freeze({ ...defaultLimits, ...options.limits })
  const server: ServerContext = {
    options,
    limits,
    sendBuffers: createSendBuffers(limits),
    trusted,
    requestIdOf: options.requestIdOf ?? ((fields, peer) => requestId(trusted, fields, peer)),
    now: options.now ?? Date.now,
    stopping: false,
    responseHold: undefined,
  }
  const receiver: Receiver = { context: server, refuseArrival: createArrivalGuard(server) }
  return {
    limits: server.limits,
    // Without our own checkContinue Node has already sent 100 by itself.
    listener: (incoming, response) => receive(receiver, incoming, response),
    attach: (server) => attach(receiver, server),
    get stopping() {
      return server.stopping
    },
    beginStopping() {
      server.stopping = true
    },
    holdResponses() {
      const { promise, resolve } = Promise.withResolvers<void>()
      server.responseHold = promise
      return () => {
        server.responseHold = undefined
        resolve()
      }
    },
  }
}

function requestId(trusted: Networks, fields: Fields | undefined, peer: Peer): string {
  const traced = fields && trusted.has(peer.address) ? traceIdOf(fields) : undefined
  return traced ?? randomUUIDv7()
}

interface Receiver {
  readonly context: ServerContext
  /** Whether the request was refused as it arrived. */
  refuseArrival(exchange: Exchange): boolean
}

function attach(receiver: Receiver, server: Server): void {
  const { context } = receiver
  const plain: RequestListener = (incoming, response) => receive(receiver, incoming, response)
  server.on('request', plain)
  server.on('checkExpectation', plain)
  server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => {
    receive(receiver, incoming, response, 'awaits-continue')
  })
  server.on('connect', (incoming) => refuseConnect(context, incoming))
  server.on('clientError', (error, socket) => {
    // On an HTTP server the stream is the socket itself.
    handleClientError(context, error, socket as Socket)
  })
  // A client that closes its half after its last request still waits for the answer. The property
  // is as old as Node, but missing in its types.
  Object.assign(server, { httpAllowHalfOpen: true })
  limitConnections(context, server)
}

function receive(
  { context: server, refuseArrival }: Receiver,
  incoming: IncomingMessage,
  response: ServerResponse,
  expectation?: 'awaits-continue',
): void {
  const connection = connectionOf(incoming.socket)
  if (connection.closing) {
    // RFC 9112 §9.6: after close has been said, requests are not processed.
    incoming.resume()
    return
  }
  const exchange = createExchange(server, connection, incoming, response)
  exchange.awaitsContinue = expectation === 'awaits-continue' || expectsContinue(exchange)
  connection.last = exchange
  if (refuseArrival(exchange)) return
  connection.queue.push(exchange)
  if (connection.queue.length === 1) void processQueue(server, connection)
  else if (connection.queue.length >= server.limits.pipeline) connection.socket.pause()
}

function createExchange(
  server: ServerContext,
  connection: ClientConnection,
  incoming: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const section = readFieldLines(incoming.rawHeaders)
  const exchange: Exchange = {
    connection,
    incoming,
    response,
    peer: clientOf(connection.peer, section.fields, server.trusted),
    id: server.requestIdOf(section.fields, connection.peer),
    section,
    content: noContent,
    awaitsContinue: false,
    fault: undefined,
  }
  if (hasContent(section.fields)) {
    exchange.content = new IncomingContent(incoming, section.fields, () => sendContinue(exchange))
  }
  return exchange
}

/** Node asks this of HTTP/1.1 alone; a higher minor version is processed alike (RFC 9110 §2.5). */
function expectsContinue({ incoming, section }: Exchange): boolean {
  return incoming.httpVersionMinor > 1 && section.fields.expect?.toLowerCase() === '100-continue'
}

/** RFC 9110 §10.1.1: 100 once the content is wanted, not before. */
function sendContinue(exchange: Exchange): void {
  if (!exchange.awaitsContinue) return
  exchange.awaitsContinue = false
  exchange.response.writeContinue()
}
