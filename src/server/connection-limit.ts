/** Limits the connections of a server. Excess connections get a prepared 503 and are not read. */

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { connectionLimit } from './descriptor-limit.ts'
import { prepareUnavailable } from './prepared-refusal.ts'
import { recordAcceptedConnection } from './request-batching.ts'
import { observeRefusal, type ServerContext } from './server-context.ts'

/** Connections that are refused at the same time; further ones are closed without a response. */
const maxRefused = 32

/** Installs the limit in front of Node's own listener, which starts the parser. Returns that listener. */
export function limitConnections(context: ServerContext, server: Server): (socket: Socket) => void {
  const most = Math.min(context.limits.connections, Math.max(1, connectionLimit() - maxRefused))
  const listeners = server.listeners('connection')
  const serve = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket)
  }
  server.removeAllListeners('connection')
  const open = new Set<Socket>()
  const refused = new Set<Socket>()
  const prepared = prepareUnavailable(context, 'connections', 'The service has too many connections.')
  server.on('connection', (socket: Socket) => {
    recordAcceptedConnection()
    if (open.size < most) {
      addUntilClosed(open, socket)
      serve(socket)
      return
    }
    const { id, refusal, closing } = prepared()
    observeRefusal(context, { id, method: '-', refusal, milliseconds: 0 })
    if (refused.size < maxRefused) {
      addUntilClosed(refused, socket)
      refuseConnection(socket, closing, context.limits.linger)
    } else socket.destroy()
  })
  return serve
}

function addUntilClosed(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
}

/** RFC 9112 §9.6: reads and drops what the client sends, since a reset could discard the response. */
function refuseConnection(socket: Socket, response: string, linger: number): void {
  socket.on('error', () => socket.destroy())
  const timer = setTimeout(() => socket.destroy(), linger)
  socket.once('close', () => clearTimeout(timer))
  socket.once('end', () => socket.destroy())
  socket.resume()
  socket.end(response, 'latin1')
}
