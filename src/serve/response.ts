/** Responses on the wire: the fields every one of them has, and its framing (RFC 9112 §6). */

import type { ServerResponse } from 'node:http'
import { formatHttpDate } from '../http/http-date.ts'
import type { HttpResponse, ResponseFields } from '../http/message.ts'
import { STATUS_CODES } from '../node-parts.ts'
import { isStreamed, type StreamedBody } from './stream.ts'

/** What the connection adds to a response. */
export interface Framing {
  readonly requestId: string
  /** undefined where not even the method is known. */
  readonly method: string | undefined
  readonly secure: boolean
  /** The value of Connection, where one is owed. */
  readonly connection: 'close' | 'keep-alive' | undefined
}

/**
 * Writes the whole response. Throws before anything is sent where a field is not valid. A body
 * that is made while it is sent is handed back, still to be sent.
 */
export function writeResponse(
  response: ServerResponse,
  message: HttpResponse,
  framing: Framing,
): StreamedBody | undefined {
  // Without this Node would add Connection: keep-alive, which HTTP/1.1 does not need, and
  // Keep-Alive, which no RFC in force defines.
  response.removeHeader('connection')
  response.writeHead(message.status, reasonOf(message.status), fieldLinesOf(message, framing))
  const { body } = message
  if (!hasBody(message, framing)) response.end()
  else if (isStreamed(body)) return body
  else response.end(body)
  return undefined
}

/** The octets of a response for a connection that has no ServerResponse: a refused message. */
export function formatResponse(message: HttpResponse, framing: Framing, now: number): Buffer {
  let head = `HTTP/1.1 ${message.status} ${reasonOf(message.status)}\r\n`
  const lines = fieldLinesOf(message, framing)
  for (let index = 0; index < lines.length; index += 2) {
    head += `${lines[index]}: ${lines[index + 1]}\r\n`
  }
  // RFC 9110 §6.6.1: a server with a clock sends Date with every 2xx, 3xx and 4xx.
  head += `Date: ${formatHttpDate(now)}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), octetsOf(message.body)])
}

/** Whether the handler itself asks for the connection to be closed. */
export function asksToClose(fields: ResponseFields): boolean {
  const connection = fields.Connection
  return connection !== undefined && /\bclose\b/i.test(String(connection))
}

function fieldLinesOf(message: HttpResponse, framing: Framing): string[] {
  const contentless = message.status === 204 || message.status === 304
  const lines: string[] = []
  for (const name in message.fields) {
    const value = message.fields[name]
    if (value === undefined || ownedByWire.has(name)) continue
    // RFC 9110 §15.3.5, §15.4.5: no content, so no type of it.
    if (contentless && name === 'Content-Type') continue
    if (typeof value === 'string') lines.push(name, value)
    else for (const line of value) lines.push(name, line)
  }
  addFraming(lines, message, framing)
  for (const [name, value] of securityFields) {
    if (message.fields[name] === undefined) lines.push(name, value)
  }
  if (framing.secure) lines.push('Strict-Transport-Security', 'max-age=31536000')
  lines.push('Request-Id', framing.requestId)
  return lines
}

/** RFC 9110 §8.6: exact for every body, that of a HEAD too; never with 204 and 304. */
function addFraming(lines: string[], message: HttpResponse, framing: Framing): void {
  if (message.status !== 204 && message.status !== 304) {
    const length = contentLength(message, framing)
    if (length !== undefined) lines.push('Content-Length', length)
  }
  if (framing.connection !== undefined) lines.push('Connection', framing.connection)
}

/** A HEAD answered without a body may know the length that GET would have. */
function contentLength(message: HttpResponse, framing: Framing): string | undefined {
  if (message.status === 205) return '0'
  if (message.body !== undefined || framing.method !== 'HEAD') {
    return isStreamed(message.body) ? undefined : String(octetLength(message.body))
  }
  const known = message.fields['Content-Length']
  return typeof known === 'string' ? known : undefined
}

function hasBody(message: HttpResponse, framing: Framing): boolean {
  if (message.body === undefined || framing.method === 'HEAD') return false
  return message.status !== 204 && message.status !== 304 && message.status !== 205
}

function octetLength(body: Exclude<HttpResponse['body'], StreamedBody>): number {
  if (body === undefined) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

/** A refusal's body is known at once. */
function octetsOf(body: HttpResponse['body']): Uint8Array {
  if (body === undefined || isStreamed(body)) return new Uint8Array(0)
  return typeof body === 'string' ? Buffer.from(body) : body
}

/** Node still has RFC 7231's phrase for 413. */
function reasonOf(status: number): string {
  return status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? '')
}

const ownedByWire: ReadonlySet<string> = new Set([
  'Connection',
  'Content-Length',
  'Keep-Alive',
  'Transfer-Encoding',
])

const securityFields = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
] as const
