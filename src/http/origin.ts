/** Origins (RFC 6454) as browsers send them, and the fields of CORS (https://fetch.spec.whatwg.org). */

import type { Fields, HttpRequest, HttpResponse, ResponseFields } from './message.ts'

/** What pages of a listed origin may read besides the few fields they always may. */
const exposedFields = [
  'Accept-Patch',
  'Accept-Post',
  'Accept-Query',
  'Allow',
  'Content-Location',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Request-Id',
  'Retry-After',
  'Sunset',
  'Total-Count',
  'WWW-Authenticate',
].join(', ')

/** What they may send. Authorization must be named: a wildcard does not stand for it. */
const allowedRequestFields =
  'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-Modified-Since, If-None-Match, If-Unmodified-Since, Last-Event-ID, Prefer, Traceparent'

/** In seconds; browsers cap it near this anyway. */
const preflightMaxAge = '7200'

/** The response as pages of listed origins may see it; Vary says so to all (fetch, §3.2.5). */
export function withCors(
  origins: readonly string[],
  asked: Fields,
  response: HttpResponse,
): HttpResponse {
  if (origins.length === 0) return response
  const { Vary } = response.fields
  const varying = isPreflight(asked)
    ? 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'
    : 'Origin'
  const fields: ResponseFields = {
    ...response.fields,
    ...corsFields(origins, asked),
    Vary: Vary === undefined ? varying : `${Vary}, ${varying}`,
  }
  return { ...response, fields }
}

/** Of every response to a listed origin. Credentials a browser would add by itself are never invited. */
export function corsFields(origins: readonly string[], { origin }: Fields): ResponseFields {
  if (origin === undefined || !origins.includes(origin)) return {}
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposedFields }
}

/** Whether it is a preflight: the browser asks before it sends the request itself. */
function isPreflight(fields: Fields): boolean {
  return fields.origin !== undefined && fields['access-control-request-method'] !== undefined
}

/** Of the answer to a preflight of a listed origin, besides those of every response. */
export function preflightFields(
  origins: readonly string[],
  fields: Fields,
  allow: string,
): ResponseFields {
  if (fields.origin === undefined || !origins.includes(fields.origin)) return {}
  return {
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': allowedRequestFields,
    'Access-Control-Max-Age': preflightMaxAge,
  }
}

export interface TargetHost {
  /** What the client took for our name: Host, or what a trusted proxy says it was. */
  readonly host: string | undefined
  readonly secure: boolean
}

/**
 * Whether a browser says that a page of another origin sent it. Programs that are no browsers send
 * neither field. A proxy may have hidden from us that the client came by TLS, but not from the
 * browser, which then calls the request same-origin itself.
 */
export function isCrossOrigin(
  origins: readonly string[],
  fields: Fields,
  { host, secure }: TargetHost,
): boolean {
  const { origin } = fields
  const site = fields['sec-fetch-site']
  if (origin !== undefined && origins.includes(origin)) return false
  if (site === 'cross-site' || site === 'same-site') return true
  if (origin === undefined) return false
  // Our Referrer-Policy makes browsers send `null` for our own forms (fetch, §3.2.5).
  if (origin === 'null' && site === 'same-origin') return false
  const from = URL.parse(origin)
  if (!from || from.origin !== origin) return true
  const scheme = site === 'same-origin' ? from.protocol : secure ? 'https:' : 'http:'
  return URL.parse(`${scheme}//${host ?? ''}`)?.origin !== origin
}

/** Scheme and authority; the Host field was checked before the request came here. */
export function serviceOrigin({ fields, peer }: HttpRequest): string {
  return `${peer.secure ? 'https' : 'http'}://${fields.host ?? 'localhost'}`
}
