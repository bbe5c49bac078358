/** Sends requests to a service without a socket, for tests with thousands of requests. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { LiveBody } from '../../src/http/live-body.ts'
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

/** `isReading`: whether the store reads, so that a stream of events may have more soon. */
export async function handleDirectly(
  service: RunningService,
  request: DirectRequest,
  isReading = () => false,
): Promise<DirectResponse> {
  const response = await service.handle(requestOf(request))
  const text = await textOf(response.body ?? '', isReading)
  return { status: response.status, fields: response.fields, text }
}

async function textOf(body: NonNullable<HttpResponse['body']>, isReading: () => boolean): Promise<string> {
  if (typeof body === 'string') return body
  if (body instanceof LiveBody) return presentEvents(body, isReading)
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  return (await Array.fromAsync(body, (part) => Buffer.from(part).toString())).join('')
}

/** Turns of the event loop without an event and without reading, after which a stream has caught up. */
const quietTurns = 10

/** The events that a stream has now; ends the stream. */
async function presentEvents(body: LiveBody, isReading: () => boolean): Promise<string> {
  let text = ''
  let next = body.next()
  for (let turn = 0; turn < quietTurns; turn += 1) {
    const part = await Promise.race([next, nextTurn()])
    if (part === undefined) {
      if (isReading()) turn = 0
      continue
    }
    if (part.done) return `${text}(ended)`
    text += part.value
    turn = 0
    next = body.next()
  }
  await body.return()
  return text
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
      async *stream() {
        if (octets) yield octets
      },
    },
    client: { address: '192.0.2.1', secure: false },
  }
}
