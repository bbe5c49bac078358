/**
 * The session cookie of HTML pages. It contains a token, so that the service stores no sessions. It
 * is accepted only from pages of the service, and for addresses that a person typed or bookmarked.
 */

import { findCookie, formatSetCookie } from '../http/cookie.ts'
import type { HttpRequest, Peer } from '../http/message.ts'

/** In seconds. */
export const sessionLifetime = 30 * 86_400

/** Over TLS the prefix binds it to this host (RFC 6265bis §4.1.3.2). */
export function sessionCookieName({ secure }: Peer): string {
  return secure ? '__Host-restwell' : 'restwell'
}

/** Returns the token in the cookie; undefined when there is none or Sec-Fetch-Site forbids its use. */
export function findSessionCookie({
  fields,
  method,
  client,
}: Pick<HttpRequest, 'fields' | 'method' | 'client'>): string | undefined {
  const site = fields['sec-fetch-site']
  const isSameOrigin = site === 'same-origin'
  const isTyped = site === 'none' && (method === 'GET' || method === 'HEAD')
  return isSameOrigin || isTyped ? findCookie(fields.cookie, sessionCookieName(client)) : undefined
}

/** Whether the request has the cookie, even where it may not be used. */
export function hasSessionCookie({ fields, client }: Pick<HttpRequest, 'fields' | 'client'>): boolean {
  return findCookie(fields.cookie, sessionCookieName(client)) !== undefined
}

/** Returns the value of Set-Cookie that begins a session. */
export function formatSessionCookie(client: Peer, token: string): string {
  const { secure } = client
  return formatSetCookie({ name: sessionCookieName(client), value: token, maxAge: sessionLifetime, secure })
}

/** Returns the value of Set-Cookie that ends a session. */
export function formatExpiredSessionCookie(client: Peer): string {
  return formatSetCookie({ name: sessionCookieName(client), value: '', maxAge: 0, secure: client.secure })
}
