/**
 * Signing in on pages: a cookie that holds a token and nothing else, so that the service keeps no
 * session. It counts only for what our own pages send, or what a person typed or bookmarked.
 */

import { findCookie, formatSetCookie } from '../http/cookie.ts'
import type { HttpRequest, Peer } from '../http/message.ts'

/** In seconds. */
export const sessionLifetime = 30 * 86_400

/** Over TLS the prefix binds it to this host (RFC 6265bis §4.1.3.2). */
function cookieName({ secure }: Peer): string {
  return secure ? '__Host-restwell' : 'restwell'
}

/** The token of a page's cookie; undefined where there is none that counts for this request. */
export function findSessionCookie({ fields, method, peer }: HttpRequest): string | undefined {
  const site = fields['sec-fetch-site']
  const own = site === 'same-origin'
  const typed = site === 'none' && (method === 'GET' || method === 'HEAD')
  return own || typed ? findCookie(fields.cookie, cookieName(peer)) : undefined
}

export function formatSessionCookie(peer: Peer, token: string): string {
  const { secure } = peer
  return formatSetCookie({ name: cookieName(peer), value: token, maxAge: sessionLifetime, secure })
}

export function formatExpiredSessionCookie(peer: Peer): string {
  return formatSetCookie({ name: cookieName(peer), value: '', maxAge: 0, secure: peer.secure })
}
