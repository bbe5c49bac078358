/**
 * Request targets (RFC 9112 §3.2): read into decoded segments once, so that nothing after this
 * module ever splits or decodes a path; and the paths that links and Location carry.
 */

import { isValidHost } from './host.ts'
import { decodePercent, encodePercent } from './percent-encoding.ts'

export type RequestTarget = { readonly kind: 'asterisk' } | PathTarget | MalformedTarget

export interface PathTarget {
  readonly kind: 'path'
  /** Of an absolute-form target, where it wins over Host (RFC 9112 §3.2.2). */
  readonly authority: string | undefined
  /** Percent-decoded, each by itself: a slash within one is data. Empty ones are kept. */
  readonly segments: readonly string[]
  /** The path as it was sent, where that is what `formatPath` makes of the segments. */
  readonly normalPath: string | undefined
  readonly hasTrailingSlash: boolean
  /** Whether a segment is `.` or `..`, however encoded; they are kept and never traverse. */
  readonly hasDotSegments: boolean
  /** Still encoded, without the question mark. */
  readonly query: string | undefined
}

export interface MalformedTarget {
  readonly kind: 'malformed'
  /** A sentence for people. */
  readonly reason: string
}

export function parseTarget(raw: string): RequestTarget {
  if (raw.startsWith('/')) return parseOriginForm(raw, undefined)
  if (raw === '*') return { kind: 'asterisk' }
  const absolute = /^https?:\/\/([^/?#]*)/i.exec(raw)
  if (absolute === null) return malformed('The target is neither a path nor an http URI.')
  const authority = absolute[1] ?? ''
  // RFC 9110 §4.2.4: userinfo is refused as well, since isValidHost knows none.
  if (!isValidHost(authority)) return malformed('The authority of the target is not a valid host.')
  const rest = raw.slice(absolute[0].length)
  return parseOriginForm(rest.startsWith('/') ? rest : `/${rest}`, authority)
}

/**
 * A path-absolute reference: the base path (empty, or `/api`), then the segments encoded as
 * RFC 3986 §3.3 wants them, in the normal form of its §6.2.2.
 */
export function formatPath(base: string, segments: readonly string[]): string {
  let path = base
  for (const segment of segments) path += `/${encodePercent(segment, pathCharacters)}`
  if (path === '') return '/'
  // RFC 3986 §4.2: two slashes in front would make the first segment an authority.
  return path.startsWith('//') ? `/.${path}` : path
}

/** The escapes of `$ & + , : ; = @`, which a segment may hold as they are. */
const pathCharacters = /%(?:24|26|2B|2C|3A|3B|3D|40)/g

function parseOriginForm(target: string, authority: string | undefined): RequestTarget {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  const query = mark < 0 ? undefined : target.slice(mark + 1)
  const fault = findPathFault(path) ?? findQueryFault(query)
  if (fault !== undefined) return malformed(fault)
  const segments = path.slice(1).split('/')
  const open = segments.at(-1) === ''
  if (open) segments.pop()
  const hasTrailingSlash = open && segments.length > 0
  const escaped = path.includes('%')
  const decoded = escaped ? decodeSegments(segments) : segments
  const hasDotSegments = decoded.some((segment) => segment === '.' || segment === '..')
  // What may stand in a path unescaped is left as it is by `formatPath` too.
  const normalPath = escaped || open || path.startsWith('//') ? undefined : path
  return {
    kind: 'path',
    authority,
    segments: decoded,
    normalPath,
    hasTrailingSlash,
    hasDotSegments,
    query,
  }
}

/** Every segment is known to decode. */
function decodeSegments(segments: readonly string[]): string[] {
  return segments.map((segment) => decodePercent(segment) ?? segment)
}

/** RFC 3986 §3.3: pchar and slashes, nothing raw besides. */
function findPathFault(path: string): string | undefined {
  if (path.includes('#')) return fragmentFault
  if (!/^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/.test(path)) {
    return 'The path has a character that must be percent-encoded.'
  }
  return findEncodingFault(path)
}

/** More is let through raw than RFC 3986 §3.4 allows: `[` and others are common in queries. */
function findQueryFault(query: string | undefined): string | undefined {
  if (query === undefined) return undefined
  if (query.includes('#')) return fragmentFault
  if (!/^[!-~]*$/.test(query)) return 'The query has a character that must be percent-encoded.'
  return findEncodingFault(query)
}

const fragmentFault = 'The target has a fragment.'

function findEncodingFault(text: string): string | undefined {
  const decoded = decodePercent(text)
  if (decoded === undefined) return 'The target has an escape that is not percent-encoded UTF-8.'
  return decoded.includes('\0') ? 'The target has an encoded NUL.' : undefined
}

function malformed(reason: string): MalformedTarget {
  return { kind: 'malformed', reason }
}
