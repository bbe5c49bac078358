/**
 * Higher minor versions of HTTP/1 (RFC 9110 §2.5): a request in HTTP/1.2 is processed as one in
 * HTTP/1.1. Node's parser does so with a flag that no option of its server sets.
 */

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What is used of the parser that Node gives to each connection. */
interface Parser {
  remove(): void
  initialize(
    type: number,
    resource: object,
    maxHeaderSize: number,
    flags: number,
    connections: object,
  ): void
  readonly constructor: { readonly REQUEST?: number; readonly kLenientVersion?: number }
}

/** Where Node has changed inside, the parser stays as it is, and such a request is 505. */
export function acceptHigherMinorVersions(server: Server, maxHeaderSize: number): void {
  let connections: object | undefined
  server.on('connection', (socket: Socket & { readonly parser?: Parser }) => {
    const { parser } = socket
    const { REQUEST, kLenientVersion } = parser?.constructor ?? {}
    connections ??= connectionsOf(server)
    if (!parser || !connections || REQUEST === undefined || kLenientVersion === undefined) return
    // The list of connections is sorted by when each began, which `initialize` sets anew.
    parser.remove()
    parser.initialize(REQUEST, { socket }, maxHeaderSize, kLenientVersion, connections)
  })
}

/** The list by which Node finds late requests; it exists once the server listens. */
function connectionsOf(server: Server): object | undefined {
  const symbol = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  )
  const connections: unknown = symbol && Reflect.get(server, symbol)
  return typeof connections === 'object' && connections !== null ? connections : undefined
}
