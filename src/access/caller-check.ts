/** The present rights of a caller that was authenticated before: for long responses, and for programs that act for it. */

import type { Model } from '../definition/model.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { Store } from '../store/store.ts'
import { type AuthenticationSchemes, authenticate, type Credentials } from './authenticate.ts'
import { findAccount } from './basic-scheme.ts'
import { hasSecondFactor } from './credentials.ts'
import { type Account, type Principal, scopesOf, subjectKey } from './principal.ts'

export interface CallerCheckContext {
  readonly model: Model
  readonly store: Store
  readonly schemes: AuthenticationSchemes
}

/**
 * The caller with its present roles and scopes. Refuses 401 where the credentials do not identify it any more. Throws
 * where that cannot be found out now.
 */
export async function loadPresentCaller(
  context: CallerCheckContext,
  credentials: Credentials,
  caller: Principal,
): Promise<Principal> {
  if (caller.kind === 'anonymous') return caller
  // A password is not hashed again: a new one has another digest.
  const isPassword = caller.kind === 'account' && caller.credential.kind === 'password'
  const present = isPassword
    ? await loadPasswordCaller(context, caller)
    : await authenticate(context.schemes, credentials)
  if (present && identityOf(present) === identityOf(caller)) return present
  throw refuse('unauthenticated', { detail: 'Your credentials are not valid any more. Sign in again.' })
}

/** Undefined where the password has changed, or where it alone proves nothing any more. */
async function loadPasswordCaller(
  { model, store }: CallerCheckContext,
  { identity, passwordMark }: Account,
): Promise<Account | undefined> {
  const { accounts } = model
  const { account } = (accounts && (await findAccount(accounts, store, identity))) ?? {}
  if (account?.passwordMark !== passwordMark) return undefined
  return (await hasSecondFactor(model, store, identity)) ? undefined : account
}

function identityOf(caller: Principal): string {
  if (caller.kind === 'account') return caller.identity
  return caller.kind === 'external' ? subjectKey(caller) : ''
}

/**
 * Whether the credentials still identify the caller, with the same roles and scopes. Throws where that
 * cannot be found out now.
 */
export async function isUnchangedCaller(
  context: CallerCheckContext,
  credentials: Credentials,
  caller: Principal,
): Promise<boolean> {
  try {
    return isSameCaller(caller, await loadPresentCaller(context, credentials, caller))
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return false
    throw error
  }
}

/** Whether rules give both the same rights. */
export function isSameCaller(one: Principal, other: Principal): boolean {
  return JSON.stringify(rightsKey(one)) === JSON.stringify(rightsKey(other))
}

/** Everything about a caller that rules depend on. */
function rightsKey(caller: Principal): readonly unknown[] {
  switch (caller.kind) {
    case 'anonymous':
    case 'system':
      return []
    case 'external':
      return [caller.issuer, caller.subject, ...[...caller.roles].sort()]
    case 'account':
      return [
        caller.identity,
        caller.passwordMark,
        [...caller.roles].sort(),
        [...(scopesOf(caller) ?? ['*'])].sort(),
      ]
  }
}
