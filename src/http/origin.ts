/** Origins (RFC 6454) and the CORS protocol (https://fetch.spec.whatwg.org, §3.2). */

import type { Fields, HttpRequest, HttpResponse, ResponseFields } from './message.ts'

/** The response fields that pages of a listed origin may read, besides the safelisted ones. */
const exposedFields = [
  'Accept-Patch',
  'Accept-Post',
  'Accept-Query',
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Location',
  'Content-Range',
  'Deprecation',
  'ETag',
  'Link',
  'Location',
  'Preference-Applied',
  'RateLimit',
  'RateLimit-Policy',
  'Repr-Digest',
  'Request-Id',
  'Retry-After',
  'Sunset',
  'Total-Count',
  'Upload-Complete',
  'Upload-Length',
  'Upload-Limit',
  'Upload-Offset',
  'WWW-Authenticate',
].join(', ')

/** The request fields that they may send. The wildcard would not include Authorization. */
const allowedRequestFields = [
  'Accept',
  'Authorization',
  'Content-Digest',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Last-Event-ID',
  'Prefer',
  'Range',
  'Repr-Digest',
  'Restwell-Client',
  'Traceparent',
  'Tracestate',
  'Upload-Complete',
  'Upload-Draft-Interop-Version',
  'Upload-Length',
  'Upload-Offset',
].join(', ')

/** In seconds; browsers use at most about this. */
const preflightMaxAge = '7200'

/** Adds the CORS fields, and Vary for every origin (fetch, §3.2.5). Pages may also read the declared response fields. */
export function withCors(
  origins: readonly string[],
  requestFields: Fields,
  response: HttpResponse,
  declared: readonly string[] = [],
): HttpResponse {
  if (origins.length === 0) return response
  const { Vary } = response.fields
  const varying = isPreflight(requestFields)
    ? 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'
    : 'Origin'
  const fields: ResponseFields = {
    ...response.fields,
    ...corsFields(origins, requestFields, declared),
    Vary: Vary === undefined ? varying : `${Vary}, ${varying}`,
  }
  return { ...response, fields }
}

/** The fields of every response to a listed origin. Credentials mode is never allowed. */
export function corsFields(
  origins: readonly string[],
  { origin }: Fields,
  declared: readonly string[] = [],
): ResponseFields {
  if (origin === undefined || !origins.includes(origin)) return {}
  const exposed = [exposedFields, ...declared].join(', ')
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed }
}

/** Whether the request is a CORS-preflight request. */
function isPreflight(fields: Fields): boolean {
  return fields.origin !== undefined && fields['access-control-request-method'] !== undefined
}

/** The additional fields of the response to a preflight request from a listed origin. */
export function preflightFields(origins: readonly string[], fields: Fields, allow: string): ResponseFields {
  if (fields.origin === undefined || !origins.includes(fields.origin)) return {}
  return {
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': allowedRequestFields,
    'Access-Control-Max-Age': preflightMaxAge,
  }
}

export interface TargetHost {
  /** Host, or the host that a trusted proxy reports. */
  readonly host: string | undefined
  readonly secure: boolean
}

/**
 * Whether a page of another, unlisted origin sent the request, by Origin and Sec-Fetch-Site. Clients
 * other than browsers send neither. A proxy may hide that the client uses TLS; Sec-Fetch-Site
 * `same-origin` then decides the scheme.
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
  // The Referrer-Policy of the HTML pages makes browsers send `null` with their forms.
  if (origin === 'null' && site === 'same-origin') return false
  const from = URL.parse(origin)
  if (!from || from.origin !== origin) return true
  const scheme = site === 'same-origin' ? from.protocol : secure ? 'https:' : 'http:'
  return URL.parse(`${scheme}//${host ?? ''}`)?.origin !== origin
}

/** The scheme and authority by which the client reached the service. Host is already checked. */
export function serviceOrigin({ fields, client }: HttpRequest): string {
  return `${client.secure ? 'https' : 'http'}://${fields.host ?? 'localhost'}`
}
