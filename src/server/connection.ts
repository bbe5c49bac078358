/** One client's connection: the requests that wait on it, and how it ends (RFC 9112 §9). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Peer } from '../http/message.ts'
import type { Refusal } from '../refusal.ts'
import type { PartialLine } from './parser-error.ts'
import type { PendingContent } from './request-content.ts'
import type { FieldSection } from './request-field-lines.ts'

export interface ClientConnection {
  readonly socket: Socket
  readonly peer: Peer
  /** In order of arrival; the first is being answered. */
  readonly queue: Exchange[]
  last: Exchange | undefined
  /** A message that could not be read; it is answered after those before it. */
  fault: Refusal | undefined
  partialLine: PartialLine | undefined
  /** Close has been said: nothing more that arrives is processed (§9.6). */
  closing: boolean
}

/** A request and its response. */
export interface Exchange {
  readonly connection: ClientConnection
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  /** The client, which a trusted proxy may speak for. */
  readonly peer: Peer
  readonly id: string
  readonly section: FieldSection
  content: PendingContent
  /** Whether the client waits for 100 (RFC 9110 §10.1.1), and none has been sent. */
  awaitsContinue: boolean
  /** What went wrong with its content. */
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
    partialLine: undefined,
    closing: false,
  }
  connections.set(socket, connection)
  return connection
}

/**
 * Calls `next` once everything answered so far has been handed to the socket. Until then nothing
 * more is read, so that a client that reads no answers cannot look alive by sending.
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

/** The response being written is the last: when Node ends the connection, it ends gently. */
export function closeAfterResponse(exchange: Exchange, linger: number): void {
  const { connection, incoming } = exchange
  connection.closing = true
  connection.socket.destroySoon = () => {
    incoming.resume()
    closeGracefully(connection, linger)
  }
}

/**
 * §9.6: a connection closed while the client still sends is reset, and a reset may take the
 * response from the client's hands. So only our half is closed, and what comes is read and dropped
 * until the client closes its own or the time is up.
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
