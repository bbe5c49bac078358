/**
 * Browsers that have completed a sign-in to an account: each has a cookie, which is no credential and ends with the
 * password.
 */

import { randomBytes } from 'node:crypto'
import type { Account } from '../../access/principal.ts'
import { type SealedCookie, sealedCookie } from '../../access/sealed-cookie.ts'
import { sha256 } from '../../access/secret-token.ts'
import { formatSessionCookie } from '../../access/session-cookie.ts'
import type { HttpRequest } from '../../http/message.ts'
import type { ValueEncryption } from '../../tools/value-encryption.ts'
import { secondStep } from '../sign-in/pending-sign-in.ts'

/** In seconds; browsers keep no cookie for longer (RFC 6265bis §5.5). */
const lifetime = 400 * 86_400

interface KnownBrowser {
  readonly account: string
  readonly passwordMark: string
  /** Random. */
  readonly id: string
}

/** The id of the browser; undefined where it has completed no sign-in to the account since the password was set. */
export function findKnownBrowser(
  request: Pick<HttpRequest, 'fields' | 'client'>,
  encryption: ValueEncryption,
  account: Account,
): string | undefined {
  const known = cookieOf(account).find(request, encryption)
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
  return [
    formatSessionCookie(client, token),
    secondStep.formatExpired(client),
    cookieOf(account).format(client, encryption, known),
  ]
}

/** A browser may know several accounts. */
function cookieOf({ identity }: Account): SealedCookie<KnownBrowser> {
  return sealedCookie({ name: `browser-${sha256(identity).slice(0, 12)}`, lifetime })
}
