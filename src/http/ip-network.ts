/** IP addresses in normal form, and sets of networks that contain them. */

import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import { memoizeByText } from '../tools/memoize.ts'

export interface Networks {
  has(address: string): boolean
}

export const noNetworks: Networks = { has: () => false }

/** Parses networks such as `10.0.0.0/8`, `2001:db8::/32` or one address; undefined if any is invalid. */
export function parseNetworks(texts: readonly string[]): Networks | undefined {
  const list = new BlockList()
  for (const text of texts) {
    if (!addNetwork(list, text)) return undefined
  }
  return {
    has: memoizeByText((address) => {
      const plain = parseIpAddress(address)
      return plain !== undefined && list.check(plain, familyOf(plain))
    }),
  }
}

function addNetwork(list: BlockList, text: string): boolean {
  const [written = '', bits, ...rest] = text.split('/')
  const address = parseIpAddress(written)
  if (address === undefined || rest.length > 0) return false
  const widest = isIPv4(address) ? 32 : 128
  // An IPv4-mapped address is normalized to IPv4, so its prefix length would be wrong.
  if (bits !== undefined && isIPv6(written) && isIPv4(address)) return false
  const prefix = bits === undefined ? widest : /^\d{1,3}$/.test(bits) ? Number(bits) : 129
  // `/0` would trust every address, which is always a mistake.
  if (prefix < 1 || prefix > widest) return false
  list.addSubnet(address, prefix, familyOf(address))
  return true
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6'
}

/** The address in lower case, without zone, IPv4-mapped as IPv4; undefined if it is invalid. */
export function parseIpAddress(text: string): string | undefined {
  const address = text.replace(/%.*$/, '').toLowerCase()
  if (isIP(address) === 0) return undefined
  if (isIPv4(address)) return address
  const groups = ipv6Groups(address)
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!mapped) return address
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The key of a client for rate limits: its IPv4 address, or its /64, which one IPv6 client owns. */
export const clientNetwork = memoizeByText((address) => {
  const plain = parseIpAddress(address)
  if (plain === undefined || isIPv4(plain)) return plain ?? address
  const prefix = ipv6Groups(plain).slice(0, 4)
  return `${prefix.map((group) => group.toString(16)).join(':')}::/64`
})

/** Whether the host of a URI is this machine: `localhost`, 127.0.0.0/8 or `::1`. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  const address = parseIpAddress(host.replace(/^\[|\]$/g, ''))
  return address !== undefined && (address.startsWith('127.') || ipv6Groups(address).join() === ipv6Loopback)
}

const ipv6Loopback = '0,0,0,0,0,0,0,1'

/** The eight groups of a valid IPv6 address; empty for IPv4. */
export function ipv6Groups(address: string): number[] {
  if (!isIPv6(address)) return []
  const [head = '', tail] = address.split('::')
  const before = partsOf(head)
  if (tail === undefined) return before
  const after = partsOf(tail)
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function partsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}
