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
