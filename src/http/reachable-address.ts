/**
 * Globally reachable IP addresses, after the IANA special-purpose address registries (RFC 6890, RFC
 * 8190). An address that contains an IPv4 address is as reachable as that one.
 */

import { isIPv4 } from 'node:net'
import { ipv6Groups, type Networks, parseIpAddress, parseNetworks } from './ip-network.ts'

/** Whether packets to the address may leave the local networks; false for text that is no address. */
export function isGloballyReachable(text: string): boolean {
  const address = parseIpAddress(text)
  if (address === undefined) return false
  const inner = isIPv4(address) ? address : embeddedIpv4(address)
  if (inner !== undefined) return !specialIpv4.has(inner)
  return globalUnicast.has(address) && !specialIpv6.has(address)
}

/** The IPv4 address inside an IPv6 address: IPv4-compatible, of NAT64 (RFC 6052) or of 6to4 (RFC 3056). */
export function embeddedIpv4(address: string): string | undefined {
  const groups = ipv6Groups(address)
  const [first = 0, second = 0] = groups
  const prefix = groups.slice(0, 6)
  if (prefix.every((group) => group === 0)) return dotted(groups.slice(6))
  if (first === 0x64 && second === 0xff9b && prefix.slice(2).every((group) => group === 0)) {
    return dotted(groups.slice(6))
  }
  return first === 0x2002 ? dotted(groups.slice(1, 3)) : undefined
}

function dotted([high = 0, low = 0]: readonly number[]): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** Of the IPv4 registry, with multicast (RFC 5771), which no request can be sent to. */
const specialIpv4 = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

/** RFC 4291 §2.4: everything else is special or not assigned. */
const globalUnicast = networks(['2000::/3'])

/** Of the IPv6 registry, the part of global unicast: Teredo, benchmarks, documentation, segment routing. */
const specialIpv6 = networks(['2001::/23', '2001:db8::/32', '3fff::/20'])

/** Parsed at the first question: Node takes milliseconds for the first IPv6 address. */
function networks(texts: readonly string[]): Networks {
  let parsed: Networks | undefined
  return {
    has(address) {
      parsed ??= parseNetworks(texts)
      if (!parsed) throw new Error('A network of the registry is not valid')
      return parsed.has(address)
    },
  }
}
