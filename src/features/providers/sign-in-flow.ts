/**
 * The state of a sign-in with a provider, in an encrypted cookie of the browser: the service keeps no session. The cookie is
 * Lax, because the callback is a navigation from another site.
 */

import { findCookie, formatSetCookie } from '../../http/cookie.ts'
import type { HttpRequest, Peer } from '../../http/message.ts'
import { decryptJson, encryptJson, type ValueEncryption } from '../../tools/value-encryption.ts'
import type { FlowSecrets } from './provider-client.ts'

export interface SignInFlow extends FlowSecrets {
  readonly provider: string
  /** The path to go to afterwards. */
  readonly next: string
  /** Set where the identity is to be linked to an account; otherwise the person signs in. */
  readonly link?: AccountLink
  /** In milliseconds. */
  readonly expiresAt: number
}

/** The account that asked for a link, with its password and its session at that time: the link ends with each of them. */
export interface AccountLink {
  readonly account: string
  readonly passwordMark: string
  /** The identity of its token; undefined: the password was in the request. */
  readonly session: string | undefined
}

/** In seconds. */
export const flowLifetime = 600

const purpose = 'sign-in with a provider'

/** Over TLS the prefix binds it to this host (RFC 6265bis §4.1.3.2). */
function cookieName({ secure }: Peer): string {
  return secure ? '__Host-restwell-sign-in' : 'restwell-sign-in'
}

/** Returns the value of Set-Cookie that begins a flow. */
export function formatFlowCookie(client: Peer, encryption: ValueEncryption, flow: SignInFlow): string {
  const value = encryptJson(encryption, purpose, flow)
  const { secure } = client
  return formatSetCookie({ name: cookieName(client), value, maxAge: flowLifetime, secure, sameSite: 'Lax' })
}

/** Returns the value of Set-Cookie that ends a flow. */
export function formatExpiredFlowCookie(client: Peer): string {
  const { secure } = client
  return formatSetCookie({ name: cookieName(client), value: '', maxAge: 0, secure, sameSite: 'Lax' })
}

/** The flow of the browser; undefined where there is none, it has expired, or it was not encrypted here. */
export function findFlow(
  { fields, client }: Pick<HttpRequest, 'fields' | 'client'>,
  encryption: ValueEncryption,
  now: number,
): SignInFlow | undefined {
  const encrypted = findCookie(fields.cookie, cookieName(client))
  // Encrypted by `formatFlowCookie`.
  const flow =
    encrypted === undefined
      ? undefined
      : (decryptJson(encryption, purpose, encrypted) as SignInFlow | undefined)
  return flow && flow.expiresAt > now ? flow : undefined
}
