/** Refuses messages that never become requests: parser errors, timeouts and CONNECT. */

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Fields } from '../http/message.ts'
import { type ProblemName, type Refusal, type RefusalOptions, refuse } from '../refusal.ts'
import { afterLastResponse, type ClientConnection, closeGracefully, connectionOf } from './connection.ts'
import { readFieldLines } from './request-field-lines.ts'
import { explainRefusal, observeRefusal, requestIdOf, type ServerContext } from './server-context.ts'
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
  const refusal = refuse('method-not-allowed', { fields: { Allow: allow } })
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
  const id = requestIdOf(server, refused.fields, peer)
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

/** The error of Node's event `clientError`. */
interface ParserError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

function refusalOfError(error: ParserError): Refusal {
  const { code = '', reason } = error
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusalAt('timeout', 'request-timeout')
  if (code === 'HPE_PAUSED_H2_UPGRADE' || reason === 'Invalid HTTP version') {
    return refusalAt('version', 'http-version-not-supported')
  }
  if (reason === 'Invalid method for HTTP/x.x request' || isUnknownMethod(error)) {
    return refusalAt('method', 'not-implemented')
  }
  // RFC 9112 §7.1.1: chunk extensions are limited.
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return refusalAt('parser', 'content-too-large')
  if (code === 'HPE_HEADER_OVERFLOW') return refusalAt('overflow', 'header-fields-too-large')
  return refusalAt('parser', 'malformed-request', { detail: detailOf(code), cause: error })
}

/**
 * The refusal of a target or a header section that is longer than the parser accepts. Undefined while the line
 * has no end; `isContinued` says that an earlier packet had none.
 */
function findOverflowRefusal(error: ParserError, isContinued: boolean): Refusal | undefined {
  const rest = error.rawPacket?.toString('latin1', isContinued ? 0 : error.bytesParsed) ?? ''
  const end = rest.search(/\s/)
  if (end < 0) return undefined
  // RFC 9112 §3: 414 for a target, which the version follows.
  const isTarget = ' HTTP/'.startsWith(rest.slice(end, end + 6))
  return isTarget ? refusalAt('overflow', 'uri-too-long') : refusalOfError(error)
}

/** RFC 9110 §15.6.2: 501 for a token. What is no token does not begin a request-line: 400 (RFC 9112 §3). */
function isUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return false
  // The parser stops at the first octet that no method has at its place, or at the space after the token.
  return endOfToken.test(rawPacket.toString('latin1', Math.max(0, bytesParsed - 1), bytesParsed + 1))
}

const endOfToken = /[!#$%&'*+\-.^_`|~0-9A-Za-z] ?$/

/** A detail for clients; the parser's own messages are for developers. */
function detailOf(code: string): string {
  if (code === 'HPE_INVALID_EOF_STATE') return 'The message ended before it was complete.'
  if (code.includes('CHUNK') || code === 'HPE_STRICT') return 'The chunked content is malformed.'
  if (code.includes('CONTENT_LENGTH')) return 'The field Content-Length is malformed or ambiguous.'
  if (code.includes('TRANSFER_ENCODING')) return 'The field Transfer-Encoding is malformed.'
  if (code.includes('URL')) return 'The target is malformed.'
  if (/VERSION|CONSTANT|METHOD/.test(code)) return 'The request-line is malformed.'
  return 'The message does not follow HTTP/1.1.'
}

function refusalAt(decision: string, type: ProblemName, options: RefusalOptions = {}): Refusal {
  const refusal = refuse(type, options)
  refusal.decision = decision
  return refusal
}
