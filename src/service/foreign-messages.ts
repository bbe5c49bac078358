/** Messages of other programs, standard ones and those of `node:http`, and messages of the service. */

import { randomUUIDv7 } from 'node:crypto'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ReadableStream } from 'node:stream/web'
import type { TLSSocket } from 'node:tls'
import type { Fields, HttpRequest, HttpResponse } from '../http/message.ts'
import { octetContent } from '../requests/context/octet-content.ts'
import { defaultFieldsOf } from '../server/default-fields.ts'
import type { NodeRequest } from './node-request.ts'

/** The message of a standard request, with its content. */
export async function requestOf(request: Request): Promise<HttpRequest> {
  const content = octetContent(new Uint8Array(await request.arrayBuffer()))
  return { ...headOf(request), content, isAbandoned: () => request.signal.aborted }
}

/** The message of a request, without its content. Throws a TypeError for other values. */
export function headOf(request: Request | NodeRequest): HttpRequest {
  if (isStandard(request)) return headOfRequest(request)
  const { method, headers } = Object(request)
  if (typeof method === 'string' && typeof headers === 'object' && headers !== null) {
    return headOfIncoming(request)
  }
  throw new TypeError("Expected a Request, or a request of 'node:http' with method, url and headers.")
}

/** Also of another implementation than that of Node. */
function isStandard(request: Request | NodeRequest): request is Request {
  return typeof Object(Object(request).headers).get === 'function'
}

function headOfRequest({ method, url, headers }: Request): HttpRequest {
  const { pathname, search, host, protocol } = new URL(url)
  const fields = Object.assign(Object.create(null), { host }, Object.fromEntries(headers))
  return {
    id: randomUUIDv7(),
    method,
    target: pathname + search,
    fields: fields as Fields,
    content: noContent,
    // A standard request has no address.
    client: { address: '127.0.0.1', secure: protocol === 'https:' },
  }
}

const noContent = octetContent(new Uint8Array())

/** Frameworks pass the objects of `node:http`, whose sockets know the peer. */
function headOfIncoming(request: NodeRequest & { readonly socket?: Partial<TLSSocket> }): HttpRequest {
  const { method = 'GET', url = '/', headers, socket } = request
  const lines = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value && [value].flat()])
  const fields = Object.fromEntries(
    lines.map(([name, values]) => [name, values && Array.from(values).join(name === 'cookie' ? '; ' : ', ')]),
  )
  return {
    id: randomUUIDv7(),
    method,
    target: url,
    // HTTP/2 has no Host.
    fields: Object.assign(Object.create(null), { host: fields[':authority'] }, fields) as Fields,
    content: noContent,
    client: { address: socket?.remoteAddress ?? '127.0.0.1', secure: socket?.encrypted === true },
  }
}

/** The message as a standard response. */
export function responseOf({ id, method, client }: HttpRequest, message: HttpResponse): Response {
  const { status, fields, body } = message
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields)) {
    for (const line of [value].flat()) headers.append(name, line)
  }
  for (const { name, value } of defaultFieldsOf(message, client)) headers.append(name, value)
  headers.set('Request-Id', id)
  const bare = method === 'HEAD' || status === 204 || status === 304
  return new Response(bare ? null : bodyOf(body), { status, headers })
}

/** A streamed body is read as the caller reads the response. */
function bodyOf(body: HttpResponse['body']): ConstructorParameters<typeof Response>[0] {
  if (body === undefined || typeof body === 'string') return body ?? null
  // A body is never in shared memory.
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  return ReadableStream.from(body).pipeThrough(asOctets())
}

function asOctets() {
  const encoder = new TextEncoder()
  return new TransformStream<string | Uint8Array, Uint8Array>({
    transform: (part, controller) =>
      controller.enqueue(typeof part === 'string' ? encoder.encode(part) : part),
  })
}

/** Writes a standard response to one of `node:http`. Resolves when it is sent, or when the client is gone. */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const cookies = response.headers.getSetCookie()
  const fields: OutgoingHttpHeaders = Object.fromEntries(response.headers)
  if (cookies.length > 0) fields['set-cookie'] = cookies
  outgoing.writeHead(response.status, fields)
  const content = response.body ? Readable.fromWeb(response.body as ReadableStream) : Readable.from([])
  try {
    await pipeline(content, outgoing)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}
