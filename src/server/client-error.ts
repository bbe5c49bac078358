/** Messages that never become requests: what the parser refuses, what comes too late, CONNECT. */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Fields } from '../http/message.ts'
import { type Refusal, refuse } from '../refusal.ts'
import {
  afterLastResponse,
  type ClientConnection,
  closeGracefully,
  connectionOf,
} from './connection.ts'
import {
  findFaultyLine,
  isLineComplete,
  type ParserError,
  refusalOfError,
  refusalOfLine,
} from './parser-error.ts'
import { readFieldLines } from './request-field-lines.ts'
import { explainRefusal, observeRefusal, type ServerContext } from './server-context.ts'
import { formatResponse } from './write-response.ts'

/** Node calls this again for whatever else arrives after a fault; only the first is answered. */
export function handleClientError(server: ServerContext, error: ParserError, socket: Socket): void {
  const connection = connectionOf(socket)
  if (!socket.writable && !connection.closing) {
    connection.closing = true
    socket.destroy()
  }
  if (connection.closing || connection.fault !== undefined) return
  if (connection.last !== undefined && !connection.last.incoming.complete) {
    failContent(server, connection, refusalOfError(error))
  } else if (error.code !== 'HPE_CLOSED_CONNECTION') {
    // After a request with Connection: close nothing more is answered (RFC 9112 §9.6).
    failMessage(server, connection, error)
  }
}

/** RFC 9110 §9.3.6: no tunnels here. Node hands the connection over without its parser. */
export function refuseConnect(server: ServerContext, incoming: IncomingMessage): void {
  const connection = connectionOf(incoming.socket)
  // Node has taken its own listener off, and a client that is gone needs no answer.
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

/** The request is already with the service, or waits for its turn: it has one answer to come. */
function failContent(server: ServerContext, connection: ClientConnection, refusal: Refusal): void {
  const exchange = connection.last!
  if (exchange.response.writableEnded) {
    // Answered before its content had come: there is nothing left to say.
    connection.fault = refusal
    afterLastResponse(connection, () => closeGracefully(connection, server.limits.linger))
    return
  }
  exchange.fault = refusal
  exchange.content.fail(refusal)
}

function failMessage(
  server: ServerContext,
  connection: ClientConnection,
  error: ParserError,
): void {
  // Without a packet it is the clock, or the client's end, and no more of a line will come.
  const line = findFaultyLine(error, connection.partialLine)
  connection.partialLine = line
  if (line !== undefined && !isLineComplete(line)) return
  const refusal = line === undefined ? refusalOfError(error) : refusalOfLine(line)
  connection.fault = refusal
  const refused = { refusal, fields: undefined, method: '-' }
  afterLastResponse(connection, () => writeRefusal(server, connection, refused))
}

interface RefusedMessage {
  readonly refusal: Refusal
  readonly fields: Fields | undefined
  readonly method: string
}

function writeRefusal(
  server: ServerContext,
  connection: ClientConnection,
  refused: RefusedMessage,
): void {
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
