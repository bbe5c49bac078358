/**
 * The browser that asked for a link, by an encrypted cookie: the service stores nothing. A newer link of the browser takes
 * the place of an older one. The cookie is Lax, because pages of mail programs lead to the link.
 */

import { findCookie, formatSetCookie } from '../../http/cookie.ts'
import type { HttpRequest, Peer } from '../../http/message.ts'
import { decryptJson, encryptJson, type ValueEncryption } from '../../tools/value-encryption.ts'

/** The link that the browser waits for. */
export interface AwaitedLink {
  /** The identity of its mail. */
  readonly mail: string
  /** The path to go to afterwards. */
  readonly next: string
}

/** In seconds: how long a link is good for. */
export const linkLifetime = 900

const purpose = 'link to sign in'

/** Over TLS the prefix binds it to this host (RFC 6265bis §4.1.3.2). */
function cookieName({ secure }: Peer): string {
  return secure ? '__Host-restwell-link' : 'restwell-link'
}

/** Returns the value of Set-Cookie for the browser that asks. */
export function formatLinkCookie(client: Peer, encryption: ValueEncryption, awaited: AwaitedLink): string {
  const value = encryptJson(encryption, purpose, awaited)
  const { secure } = client
  return formatSetCookie({ name: cookieName(client), value, maxAge: linkLifetime, secure, sameSite: 'Lax' })
}

/** Returns the value of Set-Cookie after the use of the link. */
export function formatExpiredLinkCookie(client: Peer): string {
  const { secure } = client
  return formatSetCookie({ name: cookieName(client), value: '', maxAge: 0, secure, sameSite: 'Lax' })
}

/** The link that the browser of the request waits for; undefined where it has asked for none. */
export function findAwaitedLink(
  { fields, client }: Pick<HttpRequest, 'fields' | 'client'>,
  encryption: ValueEncryption,
): AwaitedLink | undefined {
  const cookie = findCookie(fields.cookie, cookieName(client))
  // Encrypted by `formatLinkCookie`.
  return cookie === undefined
    ? undefined
    : (decryptJson(encryption, purpose, cookie) as AwaitedLink | undefined)
}
