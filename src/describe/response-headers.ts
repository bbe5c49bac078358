/** Response header fields: what each says, and which of them an answer may carry. */

import type { JsonSchema } from '../definition/model.ts'
import type { Components } from './components.ts'

interface HeaderDescription {
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: string | number
}

const text: JsonSchema = { type: 'string' }

const headers = {
  Accept: { description: 'The media types that content may have here.', schema: text },
  'Accept-Encoding': { description: 'The content codings that are taken.', schema: text },
  'Accept-Patch': { description: 'The media types that PATCH takes (RFC 5789).', schema: text },
  'Accept-Post': { description: 'The media types that POST takes.', schema: text },
  'Accept-Query': { description: 'The media types that QUERY takes (RFC 10008).', schema: text },
  'Accept-Ranges': {
    description: 'Ranges are not served.',
    schema: { type: 'string', const: 'none' },
    example: 'none',
  },
  Allow: { description: 'The methods that this resource supports.', schema: text },
  'Cache-Control': {
    description: 'Whether and how long the answer may be kept (RFC 9111).',
    schema: text,
    example: 'no-cache',
  },
  'Content-Location': {
    description: 'The URI of what the content is a representation of.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Content-Security-Policy': { description: 'What a browser may load for it.', schema: text },
  'Cross-Origin-Opener-Policy': { description: 'Sent with pages.', schema: text },
  'Cross-Origin-Resource-Policy': {
    description: 'Pages of other origins may not embed it.',
    schema: { type: 'string', const: 'same-origin' },
    example: 'same-origin',
  },
  ETag: {
    description: 'The strong entity tag, to be sent in If-Match and If-None-Match.',
    schema: { type: 'string', pattern: '^"[^"]*"$' },
  },
  'Last-Modified': { description: 'When the item was last changed.', schema: text },
  Link: {
    description: 'Links to what is around (RFC 8288): next, collection, describedby …',
    schema: text,
  },
  Location: {
    description: 'Where the item is, or is now.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Preference-Applied': {
    description: 'The preferences that were honoured (RFC 7240).',
    schema: text,
  },
  RateLimit: { description: 'What is left of the allowance.', schema: text },
  'RateLimit-Policy': { description: 'The allowance of a caller.', schema: text },
  'Referrer-Policy': {
    description: 'Links from here tell nobody where they were followed.',
    schema: text,
    example: 'no-referrer',
  },
  'Request-Id': { description: 'The name of this request in the log.', schema: text },
  'Retry-After': {
    description: 'Seconds to wait before asking again.',
    schema: { type: 'integer', minimum: 0 },
    example: 1,
  },
  'Strict-Transport-Security': { description: 'Sent over TLS.', schema: text },
  'Total-Count': {
    description: 'How many items there are in all, where `Prefer: count=exact` was sent.',
    schema: { type: 'integer', minimum: 0 },
  },
  Vary: { description: 'The request fields that the answer depends on.', schema: text },
  'WWW-Authenticate': { description: 'The schemes to authenticate by.', schema: text },
  'X-Content-Type-Options': {
    description: 'The media type is as stated.',
    schema: { type: 'string', const: 'nosniff' },
    example: 'nosniff',
  },
} as const satisfies Record<string, HeaderDescription>

export type HeaderName = keyof typeof headers

/** References to the header fields. */
export function headerReferences(components: Components, names: readonly HeaderName[]): JsonSchema {
  return Object.fromEntries(
    names.map((name) => [name, components.refer('headers', name, () => headers[name])]),
  )
}

const commonHeaders: readonly HeaderName[] = [
  'Content-Security-Policy',
  'Cross-Origin-Opener-Policy',
  'Cross-Origin-Resource-Policy',
  'Cache-Control',
  'Vary',
  'RateLimit',
  'RateLimit-Policy',
  'Referrer-Policy',
  'Request-Id',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
]

/**
 * What every response may carry, which the document says once (`x-every-response`). It is no part
 * of `components`: tools do not look for references in an extension, and call such parts unused.
 */
export const everyResponse: JsonSchema = {
  headers: Object.fromEntries(commonHeaders.map((name) => [name, headers[name]])),
}
