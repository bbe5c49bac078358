/**
 * The proof that a change of the own credentials needs: the current password, or a sign-in of the last five minutes.
 * Tokens and JWTs do not suffice.
 */

import { isPasswordHash, passwordChangeHashQueue, verifyPassword } from '../../access/password.ts'
import { type Account, mayChangeCredentials, requesterOf } from '../../access/principal.ts'
import { isRecentSignIn, maxSignInAge } from '../../access/recent-sign-in.ts'
import type { AccountsModel, JsonValue } from '../../definition/model.ts'
import { formatChallenge } from '../../http/authorization.ts'
import { type ContentFault, invalidContent, refuse } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { accountsOf } from '../../requests/context/service-context.ts'
import { noPasswordDetail } from '../../requests/documents/posted-password.ts'
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
  const { service, address } = context
  const login = String(row[accounts.login.index])
  const check = async () => typeof sent === 'string' && (await isPassword(context, accounts, row, sent))
  if (await accountsOf(service).signInAttempts.guard(login, address, check)) return
  const fault = sent === undefined ? missingPasswordFault : wrongPasswordFault
  const hasPassword = isPasswordHash(row[accounts.password.index])
  throw invalidContent([hasPassword ? fault : { ...fault, detail: noPasswordDetail(service) }])
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
export function requirePasswordCaller({ caller }: RequestContext): Account {
  if (caller.kind === 'account' && mayChangeCredentials(caller)) return caller
  throw refuse('forbidden', {
    detail:
      'A token or a JWT cannot change the credentials of its own account. Use Basic, or sign in on the HTML pages.',
  })
}

function isPassword(context: RequestContext, { password }: AccountsModel, row: Row, sent: string) {
  const hash = row[password.index]
  if (!isPasswordHash(hash)) return false
  const inTurn = passwordChangeHashQueue.turnFor(requesterOf(context.caller, context.address))
  return verifyPassword(sent, hash, inTurn)
}

const missingPasswordFault: ContentFault = {
  pointer: '/currentPassword',
  rule: 'required',
  detail: 'Enter your current password to change how you sign in.',
}

const wrongPasswordFault: ContentFault = {
  pointer: '/currentPassword',
  rule: 'currentPassword',
  detail: 'This is not your current password.',
}
