/** How long ago a caller signed in: some changes need a sign-in of the last five minutes (RFC 9470). */

import type { Account } from './principal.ts'
import { sessionLifetime } from './session-cookie.ts'

/** In seconds. */
export const maxSignInAge = 300

/** Milliseconds by which the clock of a provider may be ahead. */
const clockTolerance = 60_000

/**
 * When a session ends that begins now, in milliseconds: 30 days after the last proof of the person, so that it tells how
 * old that is. An unknown proof, and one from the future, are old.
 */
export function sessionExpiry(provenAt: number | undefined, now: number): number {
  const old = now - maxSignInAge * 1000 - 1
  const isUsable = provenAt !== undefined && provenAt > old && provenAt <= now + clockTolerance
  return (isUsable ? Math.min(provenAt, now) : old) + sessionLifetime * 1000
}

/** Whether the caller signed in within the last five minutes. A password in the request itself is recent. */
export function isRecentSignIn({ credential }: Account, now: number): boolean {
  if (credential.kind !== 'token') return credential.kind === 'password'
  const signedInAt = Date.parse(credential.expiresAt) - sessionLifetime * 1000
  return credential.session && now - signedInAt <= maxSignInAge * 1000
}

/** Whether a provider has asked the caller for a proof within the last five minutes. */
export function isRecentProviderSignIn(account: Account, now: number): boolean {
  const { credential } = account
  return credential.kind === 'token' && credential.provider !== undefined && isRecentSignIn(account, now)
}
