/** Security header fields that every response has unless it sets its own. */

import type { HttpResponse } from '../http/message.ts'

export interface DefaultField {
  readonly name: string
  readonly value: string
  /** The field line with CRLF. */
  readonly line: string
}

const always: readonly DefaultField[] = [
  defaultField('X-Content-Type-Options', 'nosniff'),
  defaultField('Cross-Origin-Resource-Policy', 'same-origin'),
]

/** Of content that a browser may show as a page with links. It shows JSON as text. */
const ofPages: readonly DefaultField[] = [...always, defaultField('Referrer-Policy', 'no-referrer')]

/**
 * Stops browsers from running scripts in data. Sent with content only: a cache would replace the
 * policy of a stored HTML page with that of a 304 (RFC 9111 §3.2).
 */
const ofContent: readonly DefaultField[] = [
  ...ofPages,
  defaultField('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"),
]

const overTls: readonly DefaultField[] = [defaultField('Strict-Transport-Security', 'max-age=31536000')]

/** The default fields that the response does not set itself. */
export function defaultFieldsOf(
  { status, fields }: HttpResponse,
  { secure }: { readonly secure: boolean },
): readonly DefaultField[] {
  const contentless = status === 204 || status === 304
  const own = isJson(fields['Content-Type']) ? always : contentless ? ofPages : ofContent
  const all = secure ? [...own, ...overTls] : own
  return all.some(({ name }) => fields[name] !== undefined)
    ? all.filter(({ name }) => fields[name] === undefined)
    : all
}

/** Whether the media type is JSON, such as application/json, or has its structure (RFC 6839 §3.1). */
function isJson(contentType: HttpResponse['fields'][string] | undefined): boolean {
  return typeof contentType === 'string' && /^application\/(?:[^;]+\+)?json(?:;|$)/.test(contentType)
}

function defaultField(name: string, value: string): DefaultField {
  return { name, value, line: `${name}: ${value}\r\n` }
}
