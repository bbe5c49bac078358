/** Who is at the other end of a request: the peer of the connection, or whom a trusted proxy names. */

import { findForwardedClient } from '../http/forwarded.ts'
import { isValidHost } from '../http/host.ts'
import type { Networks } from '../http/ip-network.ts'
import type { Fields, Peer } from '../http/message.ts'

/** The peer as the client itself, where its network is one of trusted proxies. */
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
 * The request's name from a trusted proxy's traceparent (https://www.w3.org/TR/trace-context/), so
 * that its log and ours name it alike: 16 random octets, written as a UUID is.
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
