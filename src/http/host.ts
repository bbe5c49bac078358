/** The value of Host (RFC 9110 §7.2; RFC 3986 §3.2.2): a host and perhaps a port. */

import { isIPv6 } from 'node:net'

/**
 * False for an empty value, user information, a path, whitespace or a list. A comma, which the
 * grammar of names would allow, counts as a list: no name in use has one, but two joined Host lines
 * do.
 */
export function isValidHost(fieldValue: string): boolean {
  if (!fieldValue.startsWith('[')) return registeredName.test(fieldValue)
  const close = fieldValue.indexOf(']')
  if (close < 0 || !/^(?::[0-9]*)?$/.test(fieldValue.slice(close + 1))) return false
  const literal = fieldValue.slice(1, close)
  if (futureAddress.test(literal)) return true
  // The pattern shuts out zones (`fe80::1%eth0`), which isIPv6 takes but RFC 3986 does not.
  return /^[0-9A-Fa-f:.]+$/.test(literal) && isIPv6(literal)
}

/** IPv4 addresses are of this form too. */
const registeredName = /^(?:[A-Za-z0-9\-._~!$&'()*+;=]|%[0-9A-Fa-f]{2})+(?::[0-9]*)?$/

const futureAddress = /^[Vv][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+$/
