/** The client behind trusted proxies, from Forwarded (RFC 7239) or X-Forwarded-*. */

import { parseFieldParameters, splitList } from './field-value.ts'
import { type Networks, parseIpAddress } from './ip-network.ts'
import type { Fields } from './message.ts'

/** The client as trusted proxies describe it. */
export interface ForwardedClient {
  readonly address: string
  /** Undefined when the fields do not say. */
  readonly proto: string | undefined
  readonly host: string | undefined
}

interface ForwardedHop {
  /** Undefined for an obfuscated or `unknown` node (RFC 7239 §6). */
  readonly address: string | undefined
  readonly proto: string | undefined
  readonly host: string | undefined
}

/**
 * Finds the client behind a trusted proxy: walking back from the proxy, the first address that is
 * not trusted itself. Earlier entries come from untrusted senders and are ignored. Undefined
 * without these fields, and when Forwarded and X-Forwarded-For name different clients: the client
 * may have sent either one.
 */
export function findForwardedClient(
  proxy: string,
  fields: Fields,
  trusted: Networks,
): ForwardedClient | undefined {
  if (forwardedFields.every((name) => fields[name] === undefined)) return undefined
  const hops = parseForwarded(fields.forwarded)
  const xHops = parseXForwarded(fields)
  const client = hops.length > 0 ? resolve(proxy, hops, trusted) : undefined
  const xClient = xHops.length > 0 ? resolve(proxy, xHops, trusted) : undefined
  if (client && xClient && client.address !== xClient.address) return undefined
  return client ?? xClient
}

const forwardedFields = ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']

function resolve(proxy: string, hops: readonly ForwardedHop[], trusted: Networks): ForwardedClient {
  let client: ForwardedClient = { address: proxy, proto: undefined, host: undefined }
  for (const hop of hops.toReversed()) {
    // A trusted proxy's proto and host are valid even when it hides the client's address.
    client = { address: hop.address ?? client.address, proto: hop.proto, host: hop.host }
    if (hop.address === undefined || !trusted.has(hop.address)) break
  }
  return client
}

function parseForwarded(fieldValue: string | undefined): ForwardedHop[] {
  if (fieldValue === undefined) return []
  return splitList(fieldValue).map((element) => {
    const parameters = parseFieldParameters(`;${element}`, 0)
    return {
      address: parseNodeAddress(parameters?.get('for') ?? ''),
      proto: parameters?.get('proto')?.toLowerCase(),
      host: parameters?.get('host'),
    }
  })
}

/** X-Forwarded-Proto and -Host have one value for each hop, or one value from the last proxy. */
function parseXForwarded(fields: Fields): ForwardedHop[] {
  const addresses = splitList(fields['x-forwarded-for'] ?? '')
  const protos = splitList(fields['x-forwarded-proto'] ?? '')
  const hosts = splitList(fields['x-forwarded-host'] ?? '')
  if (addresses.length === 0 && protos.length + hosts.length > 0) {
    return [{ address: undefined, proto: protos.at(-1)?.toLowerCase(), host: hosts.at(-1) }]
  }
  const valueAt = (values: readonly string[], at: number) =>
    values.length === addresses.length ? values[at] : values.at(-1)
  return addresses.map((address, at) => ({
    address: parseNodeAddress(address),
    proto: valueAt(protos, at)?.toLowerCase(),
    host: valueAt(hosts, at),
  }))
}

/**
 * Parses a node (RFC 7239 §6): `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:80`, and the bare
 * `2001:db8::1` of X-Forwarded-For. Undefined for `unknown` and `_x`.
 */
function parseNodeAddress(node: string): string | undefined {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(node)
  if (bracketed) return parseIpAddress(bracketed[1] ?? '')
  const withPort = /^([\d.]+):\d{1,5}$/.exec(node)
  return parseIpAddress(withPort?.[1] ?? node)
}
