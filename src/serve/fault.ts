/** Messages that never become requests: what the parser refuses, what comes too late, CONNECT. */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Fields } from '../http/message.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { afterLast, type Connection, connectionOf, endGently } from './connection.ts'
import { readFieldLines } from './field-lines.ts'
import {
  isLineComplete,
  lineOf,
  type ParserError,
  refusalOfError,
  refusalOfLine,
} from './parser-error.ts'
import { formatResponse } from './response.ts'
import { explainRefusal, noticeRefusal, type Wire } from './wire.ts'

/** Node calls this again for whatever else arrives after a fault; only the first is answered. */
export function handleClientError(wire: Wire, error: ParserError, socket: Socket): void {
  const connection = connectionOf(socket)
  if (!socket.writable && !connection.closing) {
    connection.closing = true
    socket.destroy()
  }
  if (connection.closing || connection.fault !== undefined) return
  if (connection.last !== undefined && !connection.last.incoming.complete) {
    failContent(wire, connection, refusalOfError(error))
  } else if (error.code !== 'HPE_CLOSED_CONNECTION') {
    // After a request with Connection: close nothing more is answered (RFC 9112 §9.6).
    failMessage(wire, connection, error)
  }
}

/** RFC 9110 §9.3.6: no tunnels here. Node hands the connection over without its parser. */
export function refuseConnect(wire: Wire, incoming: IncomingMessage): void {
  const connection = connectionOf(incoming.socket)
  // Node has taken its own listener off, and a client that is gone needs no answer.
  incoming.socket.on('error', () => incoming.socket.destroy())
  const refusal = refuse('method-not-allowed', { fields: { Allow: wire.options.allow ?? allow } })
  refusal.decision = 'connect'
  connection.fault = refusal
  const { fields } = readFieldLines(incoming.rawHeaders)
  afterLast(connection, () =>
    writeRefusal(wire, connection, { refusal, fields, method: 'CONNECT' }),
  )
}

const allow = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY'

/** The request is already with the service, or waits for its turn: it has one answer to come. */
function failContent(wire: Wire, connection: Connection, refusal: Refusal): void {
  const exchange = connection.last!
  if (exchange.response.writableEnded) {
    // Answered before its content had come: there is nothing left to say.
    connection.fault = refusal
    afterLast(connection, () => endGently(connection, wire.limits.linger))
    return
  }
  exchange.fault = refusal
  exchange.content.fail(refusal)
}

function failMessage(wire: Wire, connection: Connection, error: ParserError): void {
  // Without a packet it is the clock, or the client's end, and no more of a line will come.
  const line = lineOf(error, connection.openLine)
  connection.openLine = line
  if (line !== undefined && !isLineComplete(line)) return
  const refusal = line === undefined ? refusalOfError(error) : refusalOfLine(line)
  connection.fault = refusal
  const refused = { refusal, fields: undefined, method: '-' }
  afterLast(connection, () => writeRefusal(wire, connection, refused))
}

interface RefusedMessage {
  readonly refusal: Refusal
  readonly fields: Fields | undefined
  readonly method: string
}

function writeRefusal(wire: Wire, connection: Connection, refused: RefusedMessage): void {
  const { socket, peer } = connection
  if (connection.closing || socket.destroyed) return
  const id = wire.requestIdOf(refused.fields, peer)
  const message = explainRefusal(wire, refused.refusal, id, refused.fields)
  const framing = {
    requestId: id,
    method: undefined,
    secure: peer.secure,
    connection: 'close',
  } as const
  socket.write(formatResponse(message, framing, wire.now()))
  endGently(connection, wire.limits.linger)
  noticeRefusal(wire, { id, method: refused.method, refusal: refused.refusal, milliseconds: 0 })
}
