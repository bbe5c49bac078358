/** The client of a request: the peer of the connection, or the client that a trusted proxy names. */

import { findForwardedClient } from '../http/forwarded.ts'
import { isValidHost } from '../http/host.ts'
import type { Networks } from '../http/ip-network.ts'
import type { Fields, Peer } from '../http/message.ts'

/** Returns the client behind a trusted proxy; the peer itself when it is not a trusted proxy. */
export function clientOf(peer: Peer, fields: Fields, trusted: Networks): Peer {
  if (!trusted.has(peer.address)) return peer
  const client = findForwardedClient(peer.address, fields, trusted)
  if (!client) return peer
  const { address, proto, host } = client
  return {
    address,
    secure: proto === undefined ? peer.secure : proto === 'https',
    ...(host !== undefined && isValidHost(host) ? { host } : {}),
  }
}

/**
 * The trace id of `traceparent` (https://www.w3.org/TR/trace-context/) in the form of a UUID, so that
 * the logs of a trusted proxy and of the service use the same id.
 */
export function traceIdOf(fields: Fields): string | undefined {
  if (fields.traceparent === undefined) return undefined
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:$|-)/.exec(
    fields.traceparent,
  )
  const id = match?.[1]
  if (id === undefined || /^0+$/.test(id) || fields.traceparent.startsWith('ff')) return undefined
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
