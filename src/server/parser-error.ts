/** Translates errors of Node's parser and its timeouts into refusals, by their codes. */

import { type ProblemName, type Refusal, type RefusalOptions, refuse } from '../refusal.ts'

/** The error of Node's event `clientError`. */
export interface ParserError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

export function refusalOfError(error: ParserError): Refusal {
  const { code = '', reason } = error
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refusalAt('timeout', 'request-timeout')
  if (code === 'HPE_PAUSED_H2_UPGRADE' || reason === 'Invalid HTTP version') {
    return refusalAt('version', 'http-version-not-supported')
  }
  if (reason === 'Invalid method for HTTP/x.x request' || isUnknownMethod(error)) {
    return refusalAt('method', 'not-implemented')
  }
  // RFC 9112 §7.1.1: chunk extensions are limited.
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return refusalAt('parser', 'content-too-large')
  if (code === 'HPE_HEADER_OVERFLOW') return refusalAt('overflow', 'header-fields-too-large')
  return refusalAt('parser', 'malformed-request', { detail: detailOf(code), cause: error })
}

/**
 * The refusal of a target or a header section that is longer than the parser accepts. Undefined while the line
 * has no end; `isContinued` says that an earlier packet had none.
 */
export function findOverflowRefusal(error: ParserError, isContinued: boolean): Refusal | undefined {
  const rest = error.rawPacket?.toString('latin1', isContinued ? 0 : error.bytesParsed) ?? ''
  const end = rest.search(/\s/)
  if (end < 0) return undefined
  // RFC 9112 §3: 414 for a target, which the version follows.
  const isTarget = ' HTTP/'.startsWith(rest.slice(end, end + 6))
  return isTarget ? refusalAt('overflow', 'uri-too-long') : refusalOfError(error)
}

/** RFC 9110 §15.6.2: 501 for a token. What is no token does not begin a request-line: 400 (RFC 9112 §3). */
function isUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return false
  // The parser stops at the first octet that no method has at its place, or at the space after the token.
  return endOfToken.test(rawPacket.toString('latin1', Math.max(0, bytesParsed - 1), bytesParsed + 1))
}

const endOfToken = /[!#$%&'*+\-.^_`|~0-9A-Za-z] ?$/

/** A detail for clients; the parser's own messages are for developers. */
function detailOf(code: string): string {
  if (code === 'HPE_INVALID_EOF_STATE') return 'The message ended before it was complete.'
  if (code.includes('CHUNK') || code === 'HPE_STRICT') return 'The chunked content is malformed.'
  if (code.includes('CONTENT_LENGTH')) return 'The field Content-Length is malformed or ambiguous.'
  if (code.includes('TRANSFER_ENCODING')) return 'The field Transfer-Encoding is malformed.'
  if (code.includes('URL')) return 'The target is malformed.'
  if (/VERSION|CONSTANT|METHOD/.test(code)) return 'The request-line is malformed.'
  return 'The message does not follow HTTP/1.1.'
}

function refusalAt(decision: string, type: ProblemName, options: RefusalOptions = {}): Refusal {
  const refusal = refuse(type, options)
  refusal.decision = decision
  return refusal
}
