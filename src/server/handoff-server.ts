/** An HTTP server without a port: another process hands it the connections. */

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { SocketServer } from './request-listener.ts'
import { createHttpServer } from './server.ts'

export interface HandoffServer {
  /** Serves the connection. */
  serve(socket: Socket): void
  countConnections(): number
  /** Holds responses until they are released, so that no client connects again. */
  holdResponses(): void
  releaseResponses(): void
  /** Resolves when all requests have their responses, or after the drain limit. */
  drain(): Promise<void>
}

/** Milliseconds, as for a server with a port. */
const grace = 500
const maxDrainTime = 30_000
const pollInterval = 10

export function createHandoffServer(
  socketServer: Pick<SocketServer, 'limits' | 'attach' | 'holdResponses'>,
): HandoffServer {
  const server = createHttpServer(socketServer)
  const sockets = new Set<Socket>()
  let release: (() => void) | undefined
  // Starts Node's check for request timeouts.
  server.emit('listening')
  return {
    serve(socket) {
      // The same settings as for connections that an HTTP server accepts.
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

/** The second phase of `stopServer`. */
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
