/**
 * Accepts higher minor versions of HTTP/1 (RFC 9110 §2.5): HTTP/1.2 is processed like HTTP/1.1.
 * Node's parser has a flag for this, but no option of the server sets it.
 */

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The used part of the parser that Node creates for each connection. */
interface Parser {
  remove(): void
  initialize(type: number, resource: object, maxHeaderSize: number, flags: number, connections: object): void
  readonly constructor: { readonly REQUEST?: number; readonly kLenientVersion?: number }
}

/** When Node's internals have changed, the parser is left unchanged and such a request is 505. */
export function acceptHigherMinorVersions(server: Server, maxHeaderSize: number): void {
  let connections: object | undefined
  server.on('connection', (socket: Socket & { readonly parser?: Parser }) => {
    const { parser } = socket
    const { REQUEST, kLenientVersion } = parser?.constructor ?? {}
    connections ??= connectionsOf(server)
    if (!parser || !connections || REQUEST === undefined || kLenientVersion === undefined) return
    // The list of connections is sorted by start time, which `initialize` sets again.
    parser.remove()
    parser.initialize(REQUEST, { socket }, maxHeaderSize, kLenientVersion, connections)
  })
}

/** Node's list of connections for timeouts; it exists when the server listens. */
function connectionsOf(server: Server): object | undefined {
  const symbol = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  )
  const connections: unknown = symbol && Reflect.get(server, symbol)
  return typeof connections === 'object' && connections !== null ? connections : undefined
}
