/** A listening server: started with one clear sentence where it cannot, stopped without loss. */

import type { Server } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { createServer } from '../tools/node-builtins.ts'
import { closePort } from './graceful-close.ts'
import { acceptHigherMinorVersions } from './http-minor-version.ts'
import type { SocketServer } from './request-listener.ts'
import { SingleWriteResponse } from './single-write-response.ts'

export interface Address {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
}

export interface ServerOptions extends Address {
  readonly socketServer: SocketServer
  /** Milliseconds that requests in progress get when the server stops. */
  readonly drain?: number
  /** Milliseconds that idle connections stay open for a request already on its way. */
  readonly grace?: number
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Resolves once every accepted request is answered, or the drain limit is over. */
  stop(): Promise<void>
}

/** Rejects with an Error whose message says what to do where the address cannot be had. */
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

/** The limits that only Node can keep are given to it here. */
export function createHttpServer(socketServer: SocketServer): Server {
  const { limits } = socketServer
  // Wide enough for us to see what is too long and say so exactly.
  const maxHeaderSize = Math.max(65_536, 2 * (limits.headerSection + limits.target))
  const server = createServer({
    ServerResponse: SingleWriteResponse,
    // A request without content needs none of a stream's events.
    optimizeEmptyRequests: true,
    // The rules of Host are ours; Node would answer without a problem body.
    requireHostHeader: false,
    maxHeaderSize,
    headersTimeout: Math.min(limits.headersTimeout, limits.requestTimeout),
    requestTimeout: limits.requestTimeout,
    // Where both are the same, the clock of `timeout` does for both, and need not be set twice for
    // every request.
    keepAliveTimeout: limits.keepAlive === limits.stall ? 0 : limits.keepAlive,
    connectionsCheckingInterval: limits.checkInterval,
  })
  server.timeout = limits.stall
  acceptHigherMinorVersions(server, maxHeaderSize)
  socketServer.attach(server)
  return server
}

/** Rejects with an Error whose message says what to do where the address cannot be had. */
export function listen(
  server: NetServer,
  address: Address,
): Promise<{ port: number; url: string }> {
  const { host } = address
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      reject(new Error(explainListenError(error, address), { cause: error }))
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
 * Connections that wait to be accepted. The system drops what comes beyond, which then comes again
 * after a second or more, health checks too.
 */
const backlog = 4096

function explainListenError(error: NodeJS.ErrnoException, { host, port }: Address): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is taken by another process: stop it, or choose another port with --port.`
    case 'EACCES':
      return `Port ${port} on ${host} needs rights this process does not have: choose one above 1023 with --port.`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine: choose another with --host.`
    default:
      return `Cannot listen on ${host}, port ${port}: ${error.message}.`
  }
}

/**
 * CONTRACT 8. First `ready` turns 503 and answers say Connection: close, while the port is still
 * open: clients in a kept-alive conversation, and those just connecting, get their answer and
 * leave. Then nothing new is accepted; connections without a request get as long again to send
 * the one that may be on its way, and what is in progress has until the drain limit.
 */
async function stopServer(server: Server, options: ServerOptions): Promise<void> {
  const { socketServer, grace = 500, drain = 30_000 } = options
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), drain)
  socketServer.beginStopping()
  await waitForClients(server, grace, limit.signal)
  const { gone } = await closePort(server, socketServer)
  await waitForClients(server, grace, limit.signal)
  // Right after a poll of all sockets: as little as can be is on its way unseen.
  await nextTurn()
  server.closeIdleConnections()
  await Promise.race([gone, aborted(limit.signal)])
  clearTimeout(timer)
  server.closeAllConnections()
  await gone
}

/** Until no connection is left, the time is over, or the signal comes. */
async function waitForClients(server: Server, most: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + most
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
