/** The standard responses that routes return, as the service sends and stores them. */

import type { HttpResponse, ResponseFields } from '../../http/message.ts'
import { LogicFailure } from '../../requests/write/logic-runner.ts'

const maxOctets = 20_000_000
/** Of a response that is remembered. */
const maxStoredOctets = 16_000

/** Fields that the service sets itself, and those of the connection (RFC 9110 §7.6.1). */
const withheld =
  /^(?:connection|content-length|date|keep-alive|proxy-.*|ratelimit.*|request-id|set-cookie|te|trailer|transfer-encoding|upgrade)$/

/** The response to send. Throws a LogicFailure where the code returned no `Response`, or one that is too large. */
export async function responseOf(place: string, returned: unknown): Promise<HttpResponse> {
  if (!(returned instanceof Response) || returned.status < 200) {
    throw new LogicFailure(place, `${place} must return a Response.`)
  }
  const body = new Uint8Array(await returned.arrayBuffer())
  if (body.length > maxOctets) {
    throw new LogicFailure(place, `${place} returned more than ${maxOctets} octets.`)
  }
  const { status } = returned
  const hasContent = returned.body !== null && status !== 204 && status !== 304
  return { status, fields: fieldsOf(returned), ...(hasContent && { body }) }
}

function fieldsOf({ headers }: Response): ResponseFields {
  const fields: ResponseFields = {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'",
  }
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]))
  for (const [name, value] of headers) {
    if (!withheld.test(name)) fields[names.get(name) ?? canonicalName(name)] = value
  }
  const cookies = headers.getSetCookie().filter((one) => !/^(?:__Host-)?restwell/.test(one))
  if (cookies.length > 0) fields['Set-Cookie'] = cookies
  return fields
}

/** `content-type` is `Content-Type`: names are sent as in other responses. */
function canonicalName(name: string): string {
  return name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())
}

interface StoredRouteResponse {
  readonly status: number
  readonly fields: ResponseFields
  /** In base64; undefined: it has no content. */
  readonly body?: string
}

/** The text that is stored. Throws a LogicFailure where the content is too large to be remembered. */
export function formatStored(place: string, { status, fields, body }: HttpResponse): string {
  const octets = body instanceof Uint8Array ? body : undefined
  if (octets && octets.length > maxStoredOctets) {
    throw new LogicFailure(
      place,
      `${place} has 'once', so its response is stored: at most ${maxStoredOctets} octets.`,
    )
  }
  const stored: StoredRouteResponse = {
    status,
    fields,
    ...(octets && { body: Buffer.from(octets).toString('base64') }),
  }
  return JSON.stringify(stored)
}

export function parseStored(text: string): HttpResponse {
  // Written by formatStored.
  const { status, fields, body } = JSON.parse(text) as StoredRouteResponse
  return { status, fields, ...(body !== undefined && { body: Buffer.from(body, 'base64') }) }
}
