/** A server without a port of its own: its connections are handed to it by another process. */

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { SocketServer } from './request-listener.ts'
import { createHttpServer } from './server.ts'

export interface HandoffServer {
  /** Serves the connection. */
  serve(socket: Socket): void
  /** How many connections there are. */
  countConnections(): number
  /** Keeps answers back until they are released, so that nobody connects again meanwhile. */
  holdResponses(): void
  releaseResponses(): void
  /** Resolves once what was taken is answered, or the drain limit is over. */
  drain(): Promise<void>
}

/** Milliseconds, as for a server with a port. */
const grace = 500
const maxDrainTime = 30_000
const pollInterval = 10

export function createHandoffServer(socketServer: SocketServer): HandoffServer {
  const server = createHttpServer(socketServer)
  const sockets = new Set<Socket>()
  let release: (() => void) | undefined
  // What Node does when it listens is to begin the watch for late requests.
  server.emit('listening')
  return {
    serve(socket) {
      // As Node's own port would give them to an HTTP server.
      socket.allowHalfOpen = true
      socket.setNoDelay(true)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      server.emit('connection', socket)
    },
    countConnections: () => sockets.size,
    holdResponses() {
      release ??= socketServer.holdResponses()
    },
    releaseResponses() {
      release?.()
      release = undefined
    },
    drain: () => drain(server, sockets),
  }
}

/** The second half of how a server with a port stops: see `stopServer`. */
async function drain(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const until = performance.now() + maxDrainTime
  await waitForNone(sockets, performance.now() + grace)
  await nextTurn()
  server.closeIdleConnections()
  await waitForNone(sockets, until)
  server.closeAllConnections()
  for (const socket of sockets) socket.destroy()
}

async function waitForNone(sockets: ReadonlySet<Socket>, until: number): Promise<void> {
  while (sockets.size > 0 && performance.now() < until) await pause(pollInterval)
}
