/** Sends requests to a service without a socket, for tests with thousands of requests. */

import type { HttpRequest, HttpResponse } from '../../src/http/message.ts'
import type { RunningService } from '../../src/service/service.ts'

export interface DirectRequest {
  /** Such as `GET /articles`. */
  readonly line: string
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface DirectResponse {
  readonly status: number
  readonly fields: Readonly<Record<string, string | readonly string[]>>
  readonly text: string
}

/** The same request id for all, so that no response differs by it. */
const id = '00000000-0000-7000-8000-000000000000'

export async function handleDirectly(
  service: RunningService,
  request: DirectRequest,
): Promise<DirectResponse> {
  const response = await service.handle(requestOf(request))
  const text = await textOf(response.body ?? '')
  return { status: response.status, fields: response.fields, text }
}

async function textOf(body: NonNullable<HttpResponse['body']>): Promise<string> {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  return (await Array.fromAsync(body, (part) => Buffer.from(part).toString())).join('')
}

/** Texts go as they are, all else as JSON. */
function octetsOf(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

function requestOf({ line, fields = {}, body }: DirectRequest): HttpRequest {
  const space = line.indexOf(' ')
  const octets = body === undefined ? undefined : octetsOf(body)
  const implied = octets ? { 'content-type': 'application/json' } : {}
  return {
    id,
    method: line.slice(0, space),
    target: line.slice(space + 1),
    fields: Object.assign(Object.create(null), { host: 'shop.example' }, implied, fields),
    content: {
      present: octets !== undefined,
      length: octets?.length ?? 0,
      read: async () => octets ?? new Uint8Array(),
    },
    peer: { address: '192.0.2.1', secure: false },
  }
}
