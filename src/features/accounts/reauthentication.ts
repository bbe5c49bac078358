/**
 * The proof that a change of the own credentials needs: the current password, or a sign-in of the last five minutes.
 * Tokens and JWTs do not suffice.
 */

import { isPasswordHash } from '../../access/password.ts'
import { type Account, mayChangeCredentials } from '../../access/principal.ts'
import { isRecentSignIn, maxSignInAge } from '../../access/recent-sign-in.ts'
import type { AccountsModel, JsonValue } from '../../definition/model.ts'
import { formatChallenge } from '../../http/authorization.ts'
import { type ContentFault, invalidContent, refuse } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import {
  isPasswordOf,
  noPasswordDetail,
  passwordOwner,
  wrongPasswordFault,
} from '../../requests/documents/posted-password.ts'
import type { Row } from '../../store/row.ts'

/**
 * Passes a caller who has just proved its password, or sends it. Refuses 403 tokens and JWTs, 422 a missing or wrong
 * password, which counts as a failed one, and 429.
 */
export async function requireCurrentPassword(
  context: RequestContext,
  accounts: AccountsModel,
  row: Row,
  given: JsonValue | undefined,
): Promise<void> {
  const caller = requirePasswordCaller(context)
  const sent = given === '' || given === null ? undefined : given
  if (sent === undefined && isRecentSignIn(caller, context.service.clock.now())) return
  const owner = passwordOwner(accounts, row)
  if (await isPasswordOf(context, owner, sent)) return
  const fault = sent === undefined ? missingPasswordFault : wrongPasswordFault
  const detail = isPasswordHash(owner.hash) ? fault.detail : noPasswordDetail(context.service)
  throw invalidContent([{ ...fault, detail }])
}

/** Refuses 403 tokens and JWTs, and 401 an older session: the person must sign in again (RFC 9470). */
export function requireRecentSignIn(context: RequestContext): void {
  const caller = requirePasswordCaller(context)
  if (isRecentSignIn(caller, context.service.clock.now())) return
  const challenge = {
    error: 'insufficient_user_authentication',
    error_description: 'A more recent sign-in is required',
    max_age: String(maxSignInAge),
  }
  throw refuse('unauthenticated', {
    detail: 'Sign in again: this needs a sign-in of the last five minutes.',
    fields: { 'WWW-Authenticate': formatChallenge('Bearer', challenge) },
  })
}

/** The account of the caller; refuses 403 tokens and JWTs. */
export function requirePasswordCaller({ caller }: Pick<RequestContext, 'caller'>): Account {
  if (caller.kind === 'account' && mayChangeCredentials(caller)) return caller
  throw refuse('forbidden', {
    detail:
      'A token or a JWT cannot change the credentials of its own account. Use Basic, or sign in on the HTML pages.',
  })
}

const missingPasswordFault: ContentFault = {
  pointer: '/currentPassword',
  rule: 'required',
  detail: 'Enter your current password to change how you sign in.',
}
