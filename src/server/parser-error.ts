/**
 * Translates errors of Node's parser and its timeouts into refusals. Two errors depend on the whole
 * line that contains them, which may arrive in several packets.
 */

import { type Refusal, refuse } from '../refusal.ts'

/** The error of Node's event `clientError`. */
export interface ParserError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly bytesParsed?: number
  readonly rawPacket?: Buffer
}

/** The part of a faulty line that has arrived. */
export interface PartialLine {
  readonly kind: 'method' | 'overflow'
  readonly text: string
  /** Octets so far; for an overflow, `text` has only the last of them. */
  readonly octets: number
}

/** The line that contains the error, appended to its earlier part; undefined for other errors. */
export function findFaultyLine(error: ParserError, before: PartialLine | undefined): PartialLine | undefined {
  const packet = error.rawPacket
  if (packet === undefined) return undefined
  if (before !== undefined) return appendPacket(before, packet, 0)
  const kind = lineFaults[error.code ?? '']
  if (kind === undefined) return undefined
  const position = Math.min(error.bytesParsed ?? 0, packet.length)
  const start = kind === 'method' ? findMethodStart(packet, position) : position
  return appendPacket({ kind, text: '', octets: 0 }, packet, start)
}

/** Whether the line has ended, or is too long to wait for its end. */
export function isLineComplete(line: PartialLine): boolean {
  return line.text.endsWith('\n') || line.octets >= maxLineOctets[line.kind]
}

export function refusalOfLine(line: PartialLine): Refusal {
  if (line.kind === 'overflow') {
    // The version follows the target, so the overflow was within the target.
    const withinTarget = / HTTP\/[0-9]\.[0-9]\r?\n$/.test(line.text)
    return withDecision('overflow', refuse(withinTarget ? 'uri-too-long' : 'header-fields-too-large'))
  }
  // 501 only for an unknown method in a well-formed request-line (RFC 9110 §9.1, §15.6.2).
  const form = line.octets < maxLineOctets.method ? requestLine : requestLineStart
  if (form.test(line.text)) return withDecision('method', refuse('not-implemented'))
  return withDecision('parser', refuse('malformed-request', { detail: 'The request-line is malformed.' }))
}

const requestLine = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [!-~]+ HTTP\/1\.[0-9]\r?\n$/
/** The beginning of a request-line that is too long: a token, and perhaps a target and a version. */
const requestLineStart = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?: [!-~]*(?: [!-~]*\r?)?)?$/

export function refusalOfError(error: ParserError): Refusal {
  const code = error.code ?? ''
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return withDecision('timeout', refuse('request-timeout'))
  if (code === 'HPE_PAUSED_H2_UPGRADE' || error.reason === 'Invalid HTTP version') {
    return withDecision('version', refuse('http-version-not-supported'))
  }
  if (error.reason === 'Invalid method for HTTP/x.x request') {
    return withDecision('method', refuse('not-implemented'))
  }
  // RFC 9112 §7.1.1: chunk extensions are limited.
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return withDecision('parser', refuse('content-too-large'))
  if (code === 'HPE_HEADER_OVERFLOW') return withDecision('overflow', refuse('header-fields-too-large'))
  return withDecision('parser', refuse('malformed-request', { detail: detailOf(code), cause: error }))
}

const lineFaults: Readonly<Record<string, PartialLine['kind'] | undefined>> = Object.freeze({
  HPE_INVALID_METHOD: 'method',
  HPE_HEADER_OVERFLOW: 'overflow',
})

/** The largest number of octets to wait for the end of a line; larger than any accepted one. */
const maxLineOctets: Readonly<Record<PartialLine['kind'], number>> = Object.freeze({
  method: 16_384,
  overflow: 1_048_576,
})

function appendPacket(line: PartialLine, packet: Buffer, start: number): PartialLine {
  const feed = packet.indexOf(0x0a, start)
  const end = feed < 0 ? packet.length : feed + 1
  const text = line.text + packet.toString('latin1', start, end)
  return {
    kind: line.kind,
    // An overflow needs only the end of its line, an unknown method only the start.
    text: line.kind === 'overflow' ? text.slice(-64) : text.slice(0, maxLineOctets.method - 1),
    octets: line.octets + end - start,
  }
}

/** The parser stops at the first octet that no method has; the letters before it are part of the token. */
function findMethodStart(packet: Buffer, position: number): number {
  let start = position
  while (start > 0 && isMethodOctet(packet[start - 1]!)) start--
  return start
}

/** The methods known to the parser consist of A to Z and the hyphen. */
function isMethodOctet(octet: number): boolean {
  return (octet >= 0x41 && octet <= 0x5a) || octet === 0x2d
}

/** A detail for clients; the parser's own messages are for developers. */
function detailOf(code: string): string {
  if (code === 'HPE_INVALID_EOF_STATE') return 'The message ended before it was complete.'
  if (code.includes('CHUNK') || code === 'HPE_STRICT') return 'The chunked content is malformed.'
  if (code.includes('CONTENT_LENGTH')) return 'The field Content-Length is malformed or ambiguous.'
  if (code.includes('TRANSFER_ENCODING')) return 'The field Transfer-Encoding is malformed.'
  if (code.includes('URL')) return 'The target is malformed.'
  if (code.includes('VERSION') || code.includes('CONSTANT')) return 'The request-line is malformed.'
  return 'The message does not follow HTTP/1.1.'
}

function withDecision(decision: string, refusal: Refusal): Refusal {
  refusal.decision = decision
  return refusal
}
