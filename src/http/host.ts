/** The value of Host (RFC 9110 §7.2; RFC 3986 §3.2.2): a host and an optional port. */

import { isIPv6 } from 'node:net'

/**
 * Whether the value is `uri-host [":" port]`. False for an empty value, userinfo, a path, whitespace
 * or a comma: the grammar of reg-name allows commas, but only joined Host lines have one.
 */
export function isValidHost(fieldValue: string): boolean {
  if (!fieldValue.startsWith('[')) return registeredName.test(fieldValue)
  const close = fieldValue.indexOf(']')
  if (close < 0 || !/^(?::[0-9]*)?$/.test(fieldValue.slice(close + 1))) return false
  const literal = fieldValue.slice(1, close)
  if (futureAddress.test(literal)) return true
  // The pattern excludes zones (`fe80::1%eth0`), which isIPv6 accepts and RFC 3986 does not.
  return /^[0-9A-Fa-f:.]+$/.test(literal) && isIPv6(literal)
}

/** reg-name; an IPv4address has this form too. */
const registeredName = /^(?:[A-Za-z0-9\-._~!$&'()*+;=]|%[0-9A-Fa-f]{2})+(?::[0-9]*)?$/

const futureAddress = /^[Vv][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+$/
