/** Response header fields in an OpenAPI document. */

import type { JsonSchema } from '../definition/model.ts'
import type { Components } from './component-registry.ts'

interface HeaderDescription {
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: string | number
}

const text: JsonSchema = { type: 'string' }

const headers = {
  Accept: { description: 'The media types accepted here.', schema: text },
  'Accept-Encoding': { description: 'The accepted content codings.', schema: text },
  'Accept-Patch': { description: 'The media types that PATCH accepts (RFC 5789).', schema: text },
  'Accept-Post': { description: 'The media types that POST accepts.', schema: text },
  'Accept-Query': { description: 'The media types that QUERY accepts (RFC 10008).', schema: text },
  'Accept-Ranges': {
    description: 'Sent with files, which may be requested in parts.',
    schema: text,
    example: 'bytes',
  },
  Allow: { description: 'The methods that this resource supports.', schema: text },
  'Cache-Control': {
    description: 'Whether and how long the response may be cached (RFC 9111).',
    schema: text,
    example: 'no-cache',
  },
  'Content-Disposition': { description: 'The name of the file (RFC 6266).', schema: text },
  'Content-Language': { description: 'The language of an HTML page.', schema: text },
  'Content-Range': { description: 'The part in the content (RFC 9110 §14.4).', schema: text },
  'Content-Location': {
    description: 'The URI of the representation in the content.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Content-Security-Policy': { description: 'The sources that a browser may load.', schema: text },
  'Cross-Origin-Opener-Policy': { description: 'Sent with HTML pages.', schema: text },
  'Cross-Origin-Resource-Policy': {
    description: 'Other origins may not embed the response.',
    schema: { type: 'string', const: 'same-origin' },
  },
  ETag: {
    description: 'The strong entity tag, for If-Match and If-None-Match.',
    schema: { type: 'string', pattern: '^"[^"]*"$' },
  },
  'Last-Modified': { description: 'When the item was last changed.', schema: text },
  Link: {
    description: 'Links (RFC 8288): next, collection, describedby …',
    schema: text,
  },
  Location: {
    description: 'The URI of the item.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Preference-Applied': {
    description: 'The preferences that were honoured (RFC 7240).',
    schema: text,
  },
  RateLimit: { description: 'The remaining requests.', schema: text },
  'RateLimit-Policy': { description: 'The rate limit of a caller.', schema: text },
  'Referrer-Policy': {
    description: 'No Referer field is sent when links are followed.',
    schema: text,
    example: 'no-referrer',
  },
  'Repr-Digest': { description: 'The SHA-256 digest of the file (RFC 9530).', schema: text },
  'Request-Id': { description: 'The id of this request in the log.', schema: text },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'Server-Timing': { description: 'What the request took, for some callers.', schema: text },
  'Strict-Transport-Security': { description: 'Sent over TLS.', schema: text },
  'Total-Count': {
    description: 'The number of items, if `Prefer: count=exact` was sent.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Upload-Complete': { description: 'Whether the upload is complete.', schema: text },
  'Upload-Length': {
    description: 'The octets of the whole file.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Upload-Limit': { description: 'The limits of an upload.', schema: text },
  'Upload-Offset': {
    description: 'The octets that have arrived.',
    schema: { type: 'integer', minimum: 0 },
  },
  Vary: { description: 'The request fields that the response depends on.', schema: text },
  'WWW-Authenticate': { description: 'The authentication schemes.', schema: text },
  'X-Accel-Buffering': {
    description: 'Sent with event streams.',
    schema: text,
  },
  'X-Content-Type-Options': {
    description: 'Browsers must not guess the media type.',
    schema: { type: 'string', const: 'nosniff' },
  },
} as const satisfies Record<string, HeaderDescription>

export type HeaderName = keyof typeof headers

/** Returns references to the header fields. */
export function headerReferences(components: Components, names: readonly HeaderName[]): JsonSchema {
  return Object.fromEntries(
    names.map((name) => [name, components.refer('headers', name, () => headers[name])]),
  )
}

const commonHeaders: readonly HeaderName[] = [
  'Accept-Ranges',
  'Content-Language',
  'Content-Location',
  'Link',
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Cache-Control',
  'Vary',
  'RateLimit',
  'RateLimit-Policy',
  'Referrer-Policy',
  'Request-Id',
  'Server-Timing',
  'Strict-Transport-Security',
  'X-Accel-Buffering',
  'X-Content-Type-Options',
]

/**
 * The header fields that every response may carry, which the document says once (`x-every-response`). It is no part
 * of `components`: tools do not look for references in an extension, and call such parts unused.
 */
export const everyResponse: JsonSchema = {
  headers: Object.fromEntries(commonHeaders.map((name) => [name, headers[name]])),
}
