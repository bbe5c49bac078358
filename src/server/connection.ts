/** The connection of a client: its queue of requests, and how it closes (RFC 9112 §9). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Peer } from '../http/message.ts'
import type { Refusal } from '../refusal.ts'
import type { PendingContent } from './request-content.ts'
import type { FieldSection } from './request-field-lines.ts'

export interface ClientConnection {
  readonly socket: Socket
  readonly peer: Peer
  /** In order of arrival; the first is being processed. */
  readonly queue: Exchange[]
  last: Exchange | undefined
  /** The refusal of an unreadable message; sent after the earlier responses. */
  fault: Refusal | undefined
  /** Whether a line is too long, and has not ended. */
  overflows: boolean
  /** Connection: close was sent; nothing more is processed (§9.6). */
  closing: boolean
}

/** A request and its response. */
export interface Exchange {
  readonly connection: ClientConnection
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  /** The client, possibly behind a trusted proxy. */
  readonly client: Peer
  readonly id: string
  readonly headerSection: FieldSection
  content: PendingContent
  /** Whether the client waits for a 100 that has not been sent (RFC 9110 §10.1.1). */
  awaitsContinue: boolean
  /** The refusal of faulty content. */
  fault: Refusal | undefined
}

const connections = new WeakMap<Socket, ClientConnection>()

export function connectionOf(socket: Socket): ClientConnection {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const connection: ClientConnection = {
    socket,
    peer: peerOf(socket),
    queue: [],
    last: undefined,
    fault: undefined,
    overflows: false,
    closing: false,
  }
  connections.set(socket, connection)
  return connection
}

/**
 * Closes a connection on which nothing moves. It stays open while the service works on a request that has
 * arrived: storing a large file in a bucket takes minutes, in which neither side sends an octet.
 */
export function closeUnlessWorking(socket: Socket): void {
  const exchange = connectionOf(socket).queue[0]
  const isWorking = exchange?.incoming.complete === true && !exchange.response.headersSent
  if (isWorking) socket.setTimeout(socket.timeout ?? 0)
  else socket.destroy()
}

/**
 * Calls `next` when the last response has been written. Until then reading is paused, so that a
 * client that does not read cannot reset the idle timeout by sending.
 */
export function afterLastResponse(connection: ClientConnection, next: () => void): void {
  const response = connection.last?.response
  if (response === undefined || response.writableFinished) {
    next()
    return
  }
  connection.socket.pause()
  response.once('close', next)
}

/** Makes Node close the connection gracefully after this response. */
export function closeAfterResponse(exchange: Exchange, linger: number): void {
  const { connection, incoming } = exchange
  connection.closing = true
  connection.socket.destroySoon = () => {
    incoming.resume()
    closeGracefully(connection, linger)
  }
}

/**
 * §9.6: closing while the client still sends causes a reset, which may discard the response at the
 * client. So this closes only our half, then reads and drops until the client closes or the time
 * is over.
 */
export function closeGracefully(connection: ClientConnection, linger: number): void {
  const { socket } = connection
  connection.closing = true
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), linger)
  socket.once('close', () => clearTimeout(timer))
}

function peerOf(socket: Socket): Peer {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
  return Object.freeze({ address, secure: 'encrypted' in socket && socket.encrypted === true })
}
