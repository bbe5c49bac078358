/** Refuses messages that never become requests: parser errors, timeouts and CONNECT. */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Fields } from '../http/message.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { afterLastResponse, type ClientConnection, closeGracefully, connectionOf } from './connection.ts'
import { findOverflowRefusal, type ParserError, refusalOfError } from './parser-error.ts'
import { readFieldLines } from './request-field-lines.ts'
import { explainRefusal, observeRefusal, type ServerContext } from './server-context.ts'
import { formatResponse } from './write-response.ts'

/** Responds to the first error of a connection; Node reports everything after it as errors too. */
export function handleClientError(server: ServerContext, error: ParserError, socket: Socket): void {
  const connection = connectionOf(socket)
  if (!socket.writable && !connection.closing) {
    connection.closing = true
    socket.destroy()
  }
  if (connection.closing || connection.fault !== undefined) return
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connection.last?.content.isStreamed) return
  if (connection.last !== undefined && !connection.last.incoming.complete) {
    failContent(server, connection, refusalOfError(error))
  } else if (error.code !== 'HPE_CLOSED_CONNECTION') {
    // RFC 9112 §9.6: no response to messages after a request with Connection: close.
    failMessage(server, connection, error)
  }
}

/** RFC 9110 §9.3.6: CONNECT is not supported. Node passes the connection without its parser. */
export function refuseConnect(server: ServerContext, incoming: IncomingMessage): void {
  const connection = connectionOf(incoming.socket)
  // Node has removed its own listener for errors.
  incoming.socket.on('error', () => incoming.socket.destroy())
  const refusal = refuse('method-not-allowed', { fields: { Allow: server.options.allow ?? allow } })
  refusal.decision = 'connect'
  connection.fault = refusal
  const { fields } = readFieldLines(incoming.rawHeaders)
  afterLastResponse(connection, () =>
    writeRefusal(server, connection, { refusal, fields, method: 'CONNECT' }),
  )
}

const allow = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY'

/** The request is in the service or in the queue; its own response reports the fault. */
function failContent(server: ServerContext, connection: ClientConnection, refusal: Refusal): void {
  const exchange = connection.last!
  if (exchange.response.writableEnded) {
    // The response was sent before the content had arrived.
    connection.fault = refusal
    afterLastResponse(connection, () => closeGracefully(connection, server.limits.linger))
    return
  }
  exchange.fault = refusal
  exchange.content.fail(refusal)
}

function failMessage(server: ServerContext, connection: ClientConnection, error: ParserError): void {
  // An error without a packet is a timeout or the end of the connection: the line is not continued.
  const isOverflow = error.code === 'HPE_HEADER_OVERFLOW' && error.rawPacket !== undefined
  const refusal = isOverflow ? findOverflowRefusal(error, connection.overflows) : refusalOfError(error)
  connection.overflows = isOverflow
  if (refusal === undefined) return
  connection.fault = refusal
  const refused = { refusal, fields: undefined, method: '-' }
  afterLastResponse(connection, () => writeRefusal(server, connection, refused))
}

interface RefusedMessage {
  readonly refusal: Refusal
  readonly fields: Fields | undefined
  readonly method: string
}

function writeRefusal(server: ServerContext, connection: ClientConnection, refused: RefusedMessage): void {
  const { socket, peer } = connection
  if (connection.closing || socket.destroyed) return
  const id = server.requestIdOf(refused.fields, peer)
  const message = explainRefusal(server, refused.refusal, id, refused.fields)
  const framing = {
    requestId: id,
    method: undefined,
    secure: peer.secure,
    connection: 'close',
  } as const
  socket.write(formatResponse(message, framing, server.now()))
  closeGracefully(connection, server.limits.linger)
  observeRefusal(server, { id, method: refused.method, refusal: refused.refusal, milliseconds: 0 })
}
