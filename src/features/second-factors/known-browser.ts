/**
 * Browsers that have completed a sign-in to an account: each has an encrypted cookie, so that the service stores nothing.
 * The cookie is no credential. It ends with the password.
 */

import { randomBytes } from 'node:crypto'
import type { Account } from '../../access/principal.ts'
import { sha256 } from '../../access/secret-token.ts'
import { formatSecondStepCookie, formatSessionCookie } from '../../access/session-cookie.ts'
import { findCookie, formatSetCookie } from '../../http/cookie.ts'
import type { HttpRequest, Peer } from '../../http/message.ts'
import { decryptJson, encryptJson, type ValueEncryption } from '../../tools/value-encryption.ts'

/** In seconds; browsers keep no cookie for longer (RFC 6265bis §5.5). */
const lifetime = 400 * 86_400

const purpose = 'known browser'

interface KnownBrowser {
  readonly account: string
  readonly passwordMark: string
  /** Random. */
  readonly id: string
}

/** The id of the browser; undefined where it has completed no sign-in to the account since the password was set. */
export function findKnownBrowser(
  { fields, client }: Pick<HttpRequest, 'fields' | 'client'>,
  encryption: ValueEncryption,
  account: Account,
): string | undefined {
  const cookie = findCookie(fields.cookie, cookieName(client, account))
  // Encrypted by `signInCookies`.
  const known =
    cookie === undefined ? undefined : (decryptJson(encryption, purpose, cookie) as KnownBrowser | undefined)
  const isOwn = known?.account === account.identity && known.passwordMark === account.passwordMark
  return isOwn ? known.id : undefined
}

/** A sign-in with all factors, and the token of its session. */
export interface CompleteSignIn {
  readonly account: Account
  readonly token: string
}

/** The values of Set-Cookie after a complete sign-in: the session, no second step any more, and the known browser. */
export function signInCookies(
  { encryption }: { readonly encryption: ValueEncryption },
  request: Pick<HttpRequest, 'fields' | 'client'>,
  { account, token }: CompleteSignIn,
): readonly string[] {
  const { client } = request
  const { identity, passwordMark } = account
  const id = findKnownBrowser(request, encryption, account) ?? randomBytes(16).toString('base64url')
  const known: KnownBrowser = { account: identity, passwordMark, id }
  const value = encryptJson(encryption, purpose, known)
  const { secure } = client
  return [
    formatSessionCookie(client, token),
    formatSecondStepCookie(client),
    formatSetCookie({ name: cookieName(client, account), value, maxAge: lifetime, secure }),
  ]
}

/** A browser may know several accounts. */
function cookieName({ secure }: Peer, { identity }: Account): string {
  const prefix = secure ? '__Host-restwell' : 'restwell'
  return `${prefix}-browser-${sha256(identity).slice(0, 12)}`
}
