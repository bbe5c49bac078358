/**
 * The request listener: turns Node's requests into messages for the service and writes its
 * responses (RFC 9112). Each request gets exactly one response, in order.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { findForwardedClient } from '../http/forwarded.ts'
import { type Networks, noNetworks } from '../http/ip-network.ts'
import type { Fields, Peer } from '../http/message.ts'
import { isValidHost } from '../http/request-target.ts'
import { STATUS_CODES } from '../tools/node-builtins.ts'
import { createArrivalGuard } from './arrival-guard.ts'
import { handleClientError, refuseConnect } from './client-error.ts'
import { type ClientConnection, closeUnlessWorking, connectionOf, type Exchange } from './connection.ts'
import { limitConnections } from './connection-limit.ts'
import { ignoreUpgrades } from './ignored-upgrade.ts'
import { processRequests } from './process-requests.ts'
import { declaresContent, IncomingContent, noContent } from './request-content.ts'
import { readFieldLines } from './request-field-lines.ts'
import { requestIdOf, type ServerContext, type ServerContextOptions } from './server-context.ts'
import { defaultLimits, type SocketLimits } from './socket-limits.ts'
import { createUnreadResponseLimit } from './unread-response-limit.ts'

// Node takes the reason phrase of an interim response from this table, which lacks the one of resumable uploads.
STATUS_CODES[104] ??= 'Upload Resumption Supported'

export interface SocketServer {
  readonly limits: SocketLimits
  /** A plain Node listener, for servers of other programs. */
  readonly listener: RequestListener
  /** Adds all listeners to the server, including those for parser errors and CONNECT. */
  attach(server: Server): void
  /** Whether the server is stopping; `ready` is then 503. */
  readonly stopping: boolean
  /** Adds Connection: close to every further response. */
  beginStopping(): void
  /** Holds responses until the returned function is called. */
  holdResponses(): () => void
}

export function createSocketServer(options: ServerContextOptions): SocketServer {
  const trusted = options.trusted ?? noNetworks
  const limits = Object.freeze({ ...defaultLimits, ...options.limits })
  const server: ServerContext = {
    options,
    limits,
    sendBuffers: createUnreadResponseLimit(limits),
    trusted,
    now: options.now ?? Date.now,
    stopping: false,
    responseHold: undefined,
  }
  const receiver: Receiver = { context: server, isRefusedOnArrival: createArrivalGuard(server) }
  return {
    limits: server.limits,
    // Without a listener for checkContinue, Node has already sent 100.
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

interface Receiver {
  readonly context: ServerContext
  /** Whether the request was refused as it arrived. */
  isRefusedOnArrival(exchange: Exchange): boolean
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
  server.on('timeout', closeUnlessWorking)
  // A client may close its half after its last request. Node's types lack this property.
  Object.assign(server, { httpAllowHalfOpen: true })
  ignoreUpgrades(server, limitConnections(context, server))
}

function receive(
  { context: server, isRefusedOnArrival }: Receiver,
  incoming: IncomingMessage,
  response: ServerResponse,
  expectation?: 'awaits-continue',
): void {
  const connection = connectionOf(incoming.socket)
  if (connection.closing) {
    // RFC 9112 §9.6: requests after Connection: close are not processed.
    incoming.resume()
    return
  }
  const exchange = createExchange(server, connection, incoming, response)
  exchange.awaitsContinue = expectation === 'awaits-continue'
  connection.last = exchange
  if (isRefusedOnArrival(exchange)) return
  connection.queue.push(exchange)
  if (connection.queue.length === 1) void processRequests(server, connection)
  else if (connection.queue.length >= server.limits.pipeline) connection.socket.pause()
}

function createExchange(
  server: ServerContext,
  connection: ClientConnection,
  incoming: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const headerSection = readFieldLines(incoming.rawHeaders)
  const exchange: Exchange = {
    connection,
    incoming,
    response,
    client: clientOf(connection.peer, headerSection.fields, server.trusted),
    id: requestIdOf(server, headerSection.fields, connection.peer),
    headerSection,
    content: noContent,
    awaitsContinue: false,
    fault: undefined,
  }
  if (declaresContent(headerSection.fields)) {
    const { fields } = headerSection
    // RFC 9110 §15.2: HTTP/1.0 has no interim responses.
    const inform = incoming.httpVersionMinor > 0 ? response.writeInformation.bind(response) : undefined
    exchange.content = new IncomingContent(incoming, fields, () => sendContinue(exchange), inform)
  }
  return exchange
}

/** RFC 9110 §10.1.1: sends 100 when the content is first read. */
function sendContinue(exchange: Exchange): void {
  if (!exchange.awaitsContinue) return
  exchange.awaitsContinue = false
  exchange.response.writeContinue()
}

/** Returns the client behind a trusted proxy; the peer itself when it is not a trusted proxy. */
function clientOf(peer: Peer, fields: Fields, trusted: Networks): Peer {
  if (!trusted.has(peer.address)) return peer
  const client = findForwardedClient(peer.address, fields, trusted)
  if (!client) return peer
  const { address, proto, host } = client
  return {
    address,
    secure: proto === undefined ? peer.secure : proto === 'https',
    ...(host !== undefined && isValidHost(host) ? { host } : {}),
  }
}
