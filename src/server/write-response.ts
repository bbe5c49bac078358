/** Writes responses to connections: header fields, default fields and framing (RFC 9112 §6). */

import type { ServerResponse } from 'node:http'
import { formatHttpDate } from '../http/http-date.ts'
import type { HttpResponse, ResponseFields } from '../http/message.ts'
import { isStreamed, type StreamedBody } from '../http/streamed-body.ts'
import { memoizePerSecond } from '../tools/memoize.ts'
import { reasonPhrase } from '../tools/node-builtins.ts'
import { defaultFieldsOf } from './default-fields.ts'
import { SingleWriteResponse } from './single-write-response.ts'

/** The parts of a response that depend on its connection. */
export interface Framing {
  readonly requestId: string
  /** undefined when the request was not readable. */
  readonly method: string | undefined
  readonly secure: boolean
  /** The value of Connection, if any. */
  readonly connection: 'close' | 'keep-alive' | undefined
}

/**
 * Sends the response. Throws before sending when a field is invalid. Returns a streamed body,
 * which the caller sends.
 */
export function writeResponse(
  response: ServerResponse,
  message: HttpResponse,
  framing: Framing,
  now: number,
): StreamedBody | undefined {
  const lines = formatFieldLines(message, framing)
  const body = hasBody(message, framing) ? message.body : undefined
  const streamed = isStreamed(body)
  if (!streamed && response instanceof SingleWriteResponse && response.isNext) {
    const head = formatHead(message.status, lines, now)
    if (framing.connection === 'close') response.closeConnectionWhenSent()
    response.sendComplete(message.status, head, body)
    return undefined
  }
  // Else Node adds Connection: keep-alive and Keep-Alive, which HTTP/1.1 does not need.
  response.removeHeader('connection')
  response.writeHead(message.status, reasonPhrase(message.status), namesAndValues(lines))
  if (streamed) return body
  response.end(body)
  return undefined
}

/** The octets of the response to a message that has no ServerResponse. */
export function formatResponse(message: HttpResponse, framing: Framing, now: number): Buffer {
  const head = formatHead(message.status, formatFieldLines(message, framing), now)
  return Buffer.concat([Buffer.from(head, 'latin1'), octetsOf(message.body)])
}

/** Whether the fields of a response contain Connection: close. */
export function asksToClose(fields: ResponseFields): boolean {
  const connection = fields.Connection
  return connection !== undefined && /\bclose\b/i.test(String(connection))
}

function formatHead(status: number, lines: string, now: number): string {
  return `${statusLine(status)}${lines}${dateLine(now)}\r\n`
}

function formatFieldLines(message: HttpResponse, framing: Framing): string {
  const { fields } = message
  const contentless = message.status === 204 || message.status === 304
  let lines = ''
  for (const name in fields) {
    const value = fields[name]
    if (value === undefined || connectionFields.has(name)) continue
    // RFC 9110 §15.3.5, §15.4.5: no content, so no Content-Type.
    if (contentless && name === 'Content-Type') continue
    if (typeof value === 'string') lines += formatFieldLine(name, value)
    else for (const line of value) lines += formatFieldLine(name, line)
  }
  lines += formatFramingLines(message, framing)
  for (const { line } of defaultFieldsOf(message, framing)) lines += line
  return lines + formatFieldLine('Request-Id', framing.requestId)
}

/** RFC 9110 §8.6: Content-Length for every body, also of HEAD; never with 204 and 304. */
function formatFramingLines(message: HttpResponse, framing: Framing): string {
  const length = contentLength(message, framing)
  const lines = length === undefined ? '' : `Content-Length: ${length}\r\n`
  return framing.connection === undefined ? lines : `${lines}Connection: ${framing.connection}\r\n`
}

/** A streamed body, and the response to HEAD, may state a length that is known already. */
function contentLength(message: HttpResponse, framing: Framing): number | undefined {
  if (message.status === 204 || message.status === 304) return undefined
  if (message.status === 205) return 0
  if (!isStreamed(message.body) && (message.body !== undefined || framing.method !== 'HEAD')) {
    return octetLength(message.body)
  }
  const known = message.fields['Content-Length']
  return known === undefined ? undefined : Number(known)
}

function hasBody(message: HttpResponse, framing: Framing): boolean {
  if (message.body === undefined || framing.method === 'HEAD') return false
  return message.status !== 204 && message.status !== 304 && message.status !== 205
}

function octetLength(body: Exclude<HttpResponse['body'], StreamedBody>): number {
  if (body === undefined) return 0
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length
}

function octetsOf(body: HttpResponse['body']): Uint8Array {
  if (body === undefined || isStreamed(body)) return new Uint8Array(0)
  return typeof body === 'string' ? Buffer.from(body) : body
}

/** Names and values in turn, as `writeHead` takes them. */
function namesAndValues(lines: string): string[] {
  const turns: string[] = []
  for (const line of lines.split('\r\n').slice(0, -1)) {
    const colon = line.indexOf(':')
    turns.push(line.slice(0, colon), line.slice(colon + 2))
  }
  return turns
}

function statusLine(status: number): string {
  const known = statusLines.get(status)
  if (known !== undefined) return known
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`Not the status of a final response: ${status}.`)
  }
  const line = `HTTP/1.1 ${status} ${reasonPhrase(status)}\r\n`
  statusLines.set(status, line)
  return line
}

const statusLines = new Map<number, string>()

/** RFC 9110 §6.6.1: a server with a clock sends Date with every 2xx, 3xx and 4xx. */
const dateLine = memoizePerSecond((second) => `Date: ${formatHttpDate(second * 1000)}\r\n`)

const connectionFields: ReadonlySet<string> = new Set([
  'Connection',
  'Content-Length',
  'Date',
  'Keep-Alive',
  'Transfer-Encoding',
])

/** Returns the line with CRLF. Throws a TypeError when the name or the value is not valid. */
export function formatFieldLine(name: string, value: string): string {
  const last = lastLines.get(name)
  if (last === undefined)
    return uncachedNames.has(name) ? formatCheckedLine(name, value) : formatAndCache(name, value)
  if (last.value !== value) {
    last.line = formatCheckedLine(name, value)
    last.value = value
  }
  return last.line
}

/** The last line of each name: most fields have the same value in every response. */
const lastLines = new Map<string, { value: string; line: string }>()

/** Bounds the cache; larger than the number of names that a service uses. */
const maxNames = 200

/** Fields that differ between items. */
const uncachedNames: ReadonlySet<string> = new Set([
  'Content-Location',
  'ETag',
  'Link',
  'Location',
  'Request-Id',
])

function formatAndCache(name: string, value: string): string {
  if (!token.test(name)) throw new TypeError(`Not a field name: '${name}'.`)
  const line = formatCheckedLine(name, value)
  if (lastLines.size < maxNames) lastLines.set(name, { value, line })
  return line
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

function formatCheckedLine(name: string, value: string): string {
  for (const characters of forbiddenCharacters) {
    if (characters.test(value)) throw new TypeError(`Not a field value for ${name}.`)
  }
  return `${name}: ${value}\r\n`
}

/**
 * §5.5: a field value has visible octets, spaces and tabs. The other characters are in small classes,
 * because V8 searches for a small class in many octets at once.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are intended here
const forbiddenCharacters = [/[\0-\x08\n-\r]/, /[\x0e-\x1a]/, /[\x1b-\x1f\x7f]/, /[\u0100-\uffff]/]
