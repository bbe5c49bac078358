/** Credentials and challenges (RFC 9110 §11), with the Basic scheme (RFC 7617). */

import { isUtf8 } from 'node:buffer'
import {
  endOfToken,
  formatQuotedString,
  readWord,
  skipWhitespace,
  splitList,
  trimWhitespace,
} from './field-value.ts'

export interface Authorization {
  /** In lower case: scheme names are case-insensitive (§11.1). */
  readonly scheme: string
  /** The token68; undefined when the field has none, or has parameters instead. */
  readonly credentials: string | undefined
}

/** Parses the value of Authorization (§11.6.2); undefined if it is malformed. */
export function parseAuthorization(fieldValue: string): Authorization | undefined {
  const end = endOfToken(fieldValue, 0)
  if (end === 0) return undefined
  const scheme = fieldValue.slice(0, end).toLowerCase()
  if (end === fieldValue.length) return { scheme, credentials: undefined }
  if (fieldValue[end] !== ' ') return undefined
  const rest = trimWhitespace(fieldValue.slice(end))
  if (token68.test(rest)) return { scheme, credentials: rest }
  return splitList(rest).every(isAuthParameter) ? { scheme, credentials: undefined } : undefined
}

const token68 = /^[A-Za-z0-9\-._~+/]+=*$/

function isAuthParameter(element: string): boolean {
  const end = endOfToken(element, 0)
  const equals = skipWhitespace(element, end)
  if (end === 0 || element[equals] !== '=') return false
  return readWord(element, skipWhitespace(element, equals + 1))?.end === element.length
}

export interface BasicCredentials {
  readonly login: string
  readonly password: string
}

/**
 * Parses the credentials of the Basic scheme (RFC 7617 §2). Undefined unless they are the Base64 of
 * UTF-8 text with a colon and without control characters.
 */
export function parseBasic(credentials: string): BasicCredentials | undefined {
  if (credentials.length % 4 !== 0 || !base64.test(credentials)) return undefined
  const octets = Buffer.from(credentials, 'base64')
  if (!isUtf8(octets)) return undefined
  const text = octets.toString('utf8')
  // §2: the user-id has no colon, the password may have one; neither has control characters.
  const colon = text.indexOf(':')
  if (colon < 0 || hasControlCharacter(text)) return undefined
  return { login: text.slice(0, colon), password: text.slice(colon + 1) }
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

function hasControlCharacter(text: string): boolean {
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

/** Formats one challenge of WWW-Authenticate: `Bearer realm="shop", error="invalid_token"`. */
export function formatChallenge(scheme: string, parameters: Readonly<Record<string, string>> = {}): string {
  // §11.5: realm is always sent as a quoted string; the other parameters may be.
  const written = Object.entries(parameters).map(([name, value]) => `${name}=${formatQuotedString(value)}`)
  return written.length === 0 ? scheme : `${scheme} ${written.join(', ')}`
}
