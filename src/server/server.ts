/** Starts an HTTP server on a port, and stops it without losing accepted requests. */

import type { Server } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { createServer } from '../tools/node-builtins.ts'
import { OperatorFault } from '../tools/operator-fault.ts'
import { closePort } from './close-port.ts'
import type { SocketServer } from './request-listener.ts'
import { SingleWriteResponse } from './single-write-response.ts'

export interface Address {
  readonly host: string
  /** 0 chooses a free port. */
  readonly port: number
}

export interface ServerOptions extends Address {
  readonly socketServer: SocketServer
  /** Milliseconds that requests in progress get when the server stops. */
  readonly drain?: number
  /** Milliseconds that idle connections stay open for requests that are already sent. */
  readonly grace?: number
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Resolves when every accepted request has its response, or after the drain limit. */
  stop(): Promise<void>
}

/** Resolves when the server listens. Rejects with an OperatorFault. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = createHttpServer(options.socketServer)
  const { port, url } = await listen(server, options)
  let stopped: Promise<void> | undefined
  return {
    url,
    port,
    stop() {
      stopped ??= stopServer(server, options)
      return stopped
    },
  }
}

/** Creates Node's server with the limits that only Node can enforce. */
export function createHttpServer(socketServer: Pick<SocketServer, 'limits' | 'attach'>): Server {
  const { limits } = socketServer
  const server = createServer({
    ServerResponse: SingleWriteResponse,
    optimizeEmptyRequests: true,
    // request-checks.ts checks Host; Node's response would have no problem content.
    requireHostHeader: false,
    // Larger than our own limit, so that our refusal can name it.
    maxHeaderSize: Math.max(65_536, 2 * (limits.headerSection + limits.target)),
    headersTimeout: Math.min(limits.headersTimeout, limits.requestTimeout),
    requestTimeout: limits.requestTimeout,
    // When both are equal, one timer serves both and is set only once per request.
    keepAliveTimeout: limits.keepAlive === limits.stall ? 0 : limits.keepAlive,
    connectionsCheckingInterval: limits.checkInterval,
  })
  server.timeout = limits.stall
  socketServer.attach(server)
  return server
}

/** Resolves when the server listens. Rejects with an OperatorFault. */
export function listen(server: NetServer, address: Address): Promise<{ port: number; url: string }> {
  const { host } = address
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      reject(new OperatorFault(explainListenError(error, address), { cause: error }))
    }
    server.once('error', onError)
    server.listen({ host, port: address.port, backlog }, () => {
      server.off('error', onError)
      // A TCP server that listens has an address of this form.
      const { port } = server.address() as AddressInfo
      resolve({ port, url: `http://${formatHost(host)}:${port}` })
    })
  })
}

/**
 * Connections that wait to be accepted. The system drops further ones, and clients (health checks
 * too) retry only after a second or more.
 */
const backlog = 4096

function explainListenError(error: NodeJS.ErrnoException, { host, port }: Address): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is in use. Stop the other process, or choose another port with --port.`
    case 'EACCES':
      return `You may not listen on port ${port} of ${host}. Choose a port above 1023 with --port.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine. Choose another with --host.`
    default:
      return `Cannot listen on port ${port} of ${host}: ${error.message}.`
  }
}

/**
 * Stops in two phases (docs/reference/http/limits.md, Operation). First `ready` is 503 and responses have
 * Connection: close, while the port is open, so that clients leave by themselves. Then the port
 * closes; idle connections stay open for another grace period, since a request may be in transit,
 * and requests in progress have until the drain limit.
 */
async function stopServer(server: Server, options: ServerOptions): Promise<void> {
  const { socketServer, grace = 500, drain = 30_000 } = options
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), drain)
  socketServer.beginStopping()
  await waitForClients(server, grace, limit.signal)
  const { gone } = await closePort(server, socketServer)
  await waitForClients(server, grace, limit.signal)
  // Right after Node has polled all sockets, the fewest requests are unread.
  await nextTurn()
  server.closeIdleConnections()
  await Promise.race([gone, aborted(limit.signal)])
  clearTimeout(timer)
  server.closeAllConnections()
  await gone
}

/** Resolves when no connection is left, after so many milliseconds, or on abort. */
async function waitForClients(server: Server, milliseconds: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + milliseconds
  while (performance.now() < until && !signal.aborted) {
    if ((await countConnections(server)) === 0) return
    await pause(pollInterval)
  }
}

const pollInterval = 10

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

function formatHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
