/**
 * The session cookie of HTML pages. It contains a token, so that the service stores no sessions. It
 * is accepted only from pages of the service, and for addresses that a person typed or bookmarked.
 */

import { findCookie, formatSetCookie } from '../http/cookie.ts'
import type { HttpRequest, Peer } from '../http/message.ts'

/** In seconds. */
export const sessionLifetime = 30 * 86_400

/** Over TLS the prefix binds it to this host (RFC 6265bis §4.1.3.2). */
function cookieName({ secure }: Peer): string {
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
  return isSameOrigin || isTyped ? findCookie(fields.cookie, cookieName(client)) : undefined
}

/** Whether the request has the cookie, even where it may not be used. */
export function hasSessionCookie({ fields, client }: Pick<HttpRequest, 'fields' | 'client'>): boolean {
  return findCookie(fields.cookie, cookieName(client)) !== undefined
}

/** Returns the value of Set-Cookie that begins a session. */
export function formatSessionCookie(client: Peer, token: string): string {
  const { secure } = client
  return formatSetCookie({ name: cookieName(client), value: token, maxAge: sessionLifetime, secure })
}

/** In seconds: how long a person has to enter the second factor after the password. */
export const secondStepLifetime = 600

/** Like the session cookie, for a person who has proved the password and not yet the second factor. */
function secondStepCookieName(client: Peer): string {
  return `${cookieName(client)}-second-step`
}

/** Returns the encrypted value of the cookie between both steps; undefined like `findSessionCookie`. */
export function findSecondStepCookie({ fields, client }: Pick<HttpRequest, 'fields' | 'client'>) {
  const site = fields['sec-fetch-site']
  const isOwn = site === 'same-origin' || site === 'none'
  return isOwn ? findCookie(fields.cookie, secondStepCookieName(client)) : undefined
}

/** Returns the value of Set-Cookie that begins the second step; without a value, that ends it. */
export function formatSecondStepCookie(client: Peer, value = ''): string {
  const maxAge = value === '' ? 0 : secondStepLifetime
  return formatSetCookie({ name: secondStepCookieName(client), value, maxAge, secure: client.secure })
}

/** Returns the value of Set-Cookie that ends a session. */
export function formatExpiredSessionCookie(client: Peer): string {
  return formatSetCookie({ name: cookieName(client), value: '', maxAge: 0, secure: client.secure })
}
