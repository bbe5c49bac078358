/** How long ago a caller signed in: some changes need a sign-in of the last five minutes (RFC 9470). */

import type { Account } from './principal.ts'
import { sessionLifetime } from './session-cookie.ts'

/** In seconds. */
export const maxSignInAge = 300

/** Whether the caller signed in within the last five minutes. A password in the request itself is recent. */
export function isRecentSignIn({ credential }: Account, now: number): boolean {
  if (credential.kind !== 'token') return credential.kind === 'password'
  const signedInAt = Date.parse(credential.expiresAt) - sessionLifetime * 1000
  return credential.session && now - signedInAt <= maxSignInAge * 1000
}

/** Whether the caller signed in with a provider within the last five minutes. */
export function isRecentProviderSignIn(account: Account, now: number): boolean {
  const { credential } = account
  return credential.kind === 'token' && credential.provider !== undefined && isRecentSignIn(account, now)
}
