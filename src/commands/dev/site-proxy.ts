/**
 * Passes requests for paths outside of the base of the service on to a development server, such as that of Vite, with
 * the WebSocket by which it loads changed modules.
 */

import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { splitList } from '../../http/field-value.ts'
import { isOutsideBase } from '../../requests/decisions/resolve-target.ts'
import type { SocketServer } from '../../server/request-listener.ts'
import { httpClientFor, reasonPhrase } from '../../tools/node-builtins.ts'
import { type Absence, respondWithAbsence } from './fault-server.ts'

export interface SiteProxy extends Pick<SocketServer, 'limits' | 'attach' | 'holdResponses'> {
  /** Ends WebSockets and streams of events, and each other connection after its response. */
  stop(): void
}

/** The server of a service with this base, which sees only the requests for paths below it. */
export function createSiteProxy(socketServer: SocketServer, site: URL, base: string): SiteProxy {
  const proxy: Proxy = { site, endless: new Set(), stopped: false }
  return {
    limits: socketServer.limits,
    holdResponses: socketServer.holdResponses,
    attach(server) {
      socketServer.attach(server)
      takeRequests(proxy, server, ({ url = '' }) => isOutsideBase(base, url))
    },
    stop() {
      proxy.stopped = true
      for (const stream of proxy.endless) stream.destroy()
    },
  }
}

interface Proxy {
  readonly site: URL
  /** WebSockets and streams of events, which do not end by themselves. */
  readonly endless: Set<{ destroy(): void }>
  stopped: boolean
}

/** Puts the proxy before the listeners of the service. */
function takeRequests(proxy: Proxy, server: Server, takes: (incoming: IncomingMessage) => boolean): void {
  const precede = <Rest extends unknown[]>(
    event: string,
    respond: (incoming: IncomingMessage, ...rest: Rest) => void,
  ) => {
    const others = server.listeners(event)
    server.removeAllListeners(event)
    server.on(event, (incoming: IncomingMessage, ...rest: Rest) => {
      if (takes(incoming)) respond(incoming, ...rest)
      else for (const listener of others) listener.call(server, incoming, ...rest)
    })
  }
  const passOn = (incoming: IncomingMessage, response: ServerResponse) =>
    passRequest(proxy, incoming, response)
  precede('request', passOn)
  precede('checkExpectation', passOn)
  precede('checkContinue', (incoming, response: ServerResponse) => {
    response.writeContinue()
    passOn(incoming, response)
  })
  precede('upgrade', (incoming, socket: Duplex, head: Buffer) => {
    // On an HTTP server, a request without content leaves the socket itself.
    passUpgrade(proxy, incoming, socket as Socket, head)
  })
  // Node's types lack this property.
  const upgrading = server as Server & { shouldUpgradeCallback: (incoming: IncomingMessage) => boolean }
  const shouldUpgrade = upgrading.shouldUpgradeCallback
  upgrading.shouldUpgradeCallback = (incoming) =>
    takes(incoming) ? asksForWebSocket(incoming) : shouldUpgrade(incoming)
}

function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

function passRequest(proxy: Proxy, incoming: IncomingMessage, response: ServerResponse): void {
  const { socket } = incoming
  // The development server decides how long a response may take.
  const timeout = socket.timeout ?? 0
  socket.setTimeout(0)
  const isChunked = incoming.headers['transfer-encoding'] !== undefined
  const framing = isChunked ? ['Transfer-Encoding', 'chunked'] : []
  const outgoing = sendRequest(proxy, incoming, [...endToEndFields(incoming), ...framing])
  response.once('close', () => {
    socket.setTimeout(timeout)
    outgoing.destroy()
  })
  response.once('finish', () => {
    if (proxy.stopped) socket.end()
  })
  outgoing.once('response', (received) => {
    if (/^text\/event-stream\b/i.test(received.headers['content-type'] ?? '')) {
      endWithProxy(proxy, received)
      // A client that leaves may close only its half, which no write discovers.
      const leave = () => received.destroy()
      socket.once('end', leave)
      received.once('close', () => socket.off('end', leave))
    }
    response.sendDate = false
    response.writeHead(received.statusCode ?? 502, received.statusMessage, endToEndFields(received))
    response.flushHeaders()
    // A response that breaks off breaks off for the client too.
    pipeline(received, response, () => undefined)
  })
  outgoing.on('error', (fault) => {
    if (response.headersSent) response.destroy()
    else respondWithAbsence(incoming, response, absenceOf(proxy.site, fault))
  })
  incoming.pipe(outgoing)
}

function endWithProxy({ endless, stopped }: Proxy, stream: Duplex | IncomingMessage): void {
  if (stopped) stream.destroy()
  endless.add(stream)
  stream.once('close', () => endless.delete(stream))
}

/** Joins the two connections after 101 (RFC 9110 §7.8); any other response ends the connection. */
function passUpgrade(proxy: Proxy, incoming: IncomingMessage, socket: Socket, head: Buffer): void {
  socket.setTimeout(0)
  const upgrade = ['Connection', 'Upgrade', 'Upgrade', 'websocket']
  const outgoing = sendRequest(proxy, incoming, [...endToEndFields(incoming), ...upgrade])
  endWithProxy(proxy, socket)
  socket.on('error', () => socket.destroy())
  socket.once('close', () => outgoing.destroy())
  outgoing.once('upgrade', (received, stream, rest: Buffer) => {
    socket.write(formatHead(received, [...endToEndFields(received), ...upgrade]))
    socket.write(rest)
    stream.write(head)
    stream.on('error', () => stream.destroy())
    stream.once('close', () => socket.destroySoon())
    socket.once('close', () => stream.destroy())
    socket.pipe(stream).pipe(socket)
  })
  outgoing.once('response', (received) => {
    socket.write(formatHead(received, [...endToEndFields(received), 'Connection', 'close']))
    pipeline(received, socket, () => undefined)
  })
  outgoing.on('error', () => socket.end(`HTTP/1.1 502 ${reasonPhrase(502)}\r\nConnection: close\r\n\r\n`))
  outgoing.end()
}

function sendRequest(
  { site }: Proxy,
  { method = '', url = '' }: IncomingMessage,
  headers: string[],
): ClientRequest {
  const { request } = httpClientFor(site)
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '') || '/'
  // Each request has a connection of its own, which the development server cannot close as it is used again.
  return request(site, { method, path, headers, setHost: false, agent: false })
}

/** The field lines without those of one connection (RFC 9110 §7.6.1). */
function endToEndFields({ rawHeaders, headers: { connection = '' } }: IncomingMessage): string[] {
  const dropped = new Set([...hopByHop, ...splitList(connection.toLowerCase())])
  return rawHeaders.filter((_, at) => !dropped.has(rawHeaders[at - (at % 2)]?.toLowerCase() ?? ''))
}

const hopByHop = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

function formatHead({ statusCode, statusMessage }: IncomingMessage, fields: readonly string[]): string {
  const lines = fields.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`))
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`
}

function absenceOf({ origin }: URL, fault: Error): Absence {
  return {
    status: 502,
    title: 'The development server does not respond',
    fault: `The development server at ${origin} does not respond: ${reasonOf(fault)}.`,
    advice: 'Start it, such as with: npx vite.',
  }
}

/** Several addresses of one name each have an error, and their joint error has no message. */
function reasonOf(fault: Error & { readonly code?: string }): string {
  return fault.message || fault.code || fault.name
}
