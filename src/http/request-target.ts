/**
 * Request targets (RFC 9112 §3.2): parsing into decoded segments, so that no other module splits or
 * decodes a path, and formatting the paths of links and Location.
 */

import { isIPv6 } from 'node:net'
import { decodePercent, encodePercent } from './percent-encoding.ts'

export type RequestTarget = { readonly kind: 'asterisk' } | PathTarget | MalformedTarget

export interface PathTarget {
  readonly kind: 'path'
  /** Percent-decoded one by one, so that an encoded slash is data. Includes empty segments. */
  readonly segments: readonly string[]
  /** The path as received, if it equals what `formatPath` returns for the segments. */
  readonly normalPath: string | undefined
  readonly hasTrailingSlash: boolean
  /** Whether a segment is `.` or `..`, encoded or not. Dot segments are never resolved. */
  readonly hasDotSegments: boolean
  /** Percent-encoded, without the question mark. */
  readonly query: string | undefined
}

export interface MalformedTarget {
  readonly kind: 'malformed'
  /** A sentence for people. */
  readonly reason: string
}

/** Parses a target in asterisk-form or origin-form: the server has made these of the absolute form. */
export function parseTarget(raw: string): RequestTarget {
  if (raw.startsWith('/')) return parseOriginForm(raw)
  return raw === '*' ? { kind: 'asterisk' } : malformed('The target is not a path.')
}

/**
 * Formats a path: the base path (empty, or `/api`) and the segments, encoded by RFC 3986 §3.3 in
 * normal form (§6.2.2).
 */
export function formatPath(base: string, segments: readonly string[]): string {
  let path = base
  for (const segment of segments) path += `/${encodePercent(segment, pathCharacters)}`
  if (path === '') return '/'
  // RFC 3986 §4.2: after two slashes the first segment would be an authority.
  return path.startsWith('//') ? `/.${path}` : path
}

/** The escapes of `$ & + , : ; = @`, which a segment may contain unescaped. */
const pathCharacters = /%(?:24|26|2B|2C|3A|3B|3D|40)/g

function parseOriginForm(target: string): RequestTarget {
  const queryStart = target.indexOf('?')
  const path = queryStart < 0 ? target : target.slice(0, queryStart)
  const query = queryStart < 0 ? undefined : target.slice(queryStart + 1)
  const fault = findPathFault(path) ?? findQueryFault(query)
  if (fault !== undefined) return malformed(fault)
  const segments = path.slice(1).split('/')
  const open = segments.at(-1) === ''
  if (open) segments.pop()
  const hasTrailingSlash = open && segments.length > 0
  const escaped = path.includes('%')
  const decoded = escaped ? decodeSegments(segments) : segments
  const hasDotSegments = decoded.some((segment) => segment === '.' || segment === '..')
  // Without escapes the path is in normal form: `formatPath` would escape none of its characters.
  const normalPath = escaped || open || path.startsWith('//') ? undefined : path
  return {
    kind: 'path',
    segments: decoded,
    normalPath,
    hasTrailingSlash,
    hasDotSegments,
    query,
  }
}

/** `findEncodingFault` has checked that every segment decodes. */
function decodeSegments(segments: readonly string[]): string[] {
  return segments.map((segment) => decodePercent(segment) ?? segment)
}

/** RFC 3986 §3.3: a path consists of pchar and slashes. */
function findPathFault(path: string): string | undefined {
  if (path.includes('#')) return fragmentFault
  if (!/^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/.test(path)) {
    return 'The path has a character that must be percent-encoded.'
  }
  return findEncodingFault(path)
}

/** More lenient than RFC 3986 §3.4, because unescaped `[` and others are common in queries. */
function findQueryFault(query: string | undefined): string | undefined {
  if (query === undefined) return undefined
  if (query.includes('#')) return fragmentFault
  if (!/^[!-~]*$/.test(query)) return 'The query has a character that must be percent-encoded.'
  return findEncodingFault(query)
}

const fragmentFault = 'The target has a fragment.'

function findEncodingFault(text: string): string | undefined {
  const decoded = decodePercent(text)
  if (decoded === undefined) return 'The target has an escape that is not valid percent-encoded UTF-8.'
  return decoded.includes('\0') ? 'The target has an encoded NUL.' : undefined
}

function malformed(reason: string): MalformedTarget {
  return { kind: 'malformed', reason }
}

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
