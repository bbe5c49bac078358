/** Whether the caller of a long response still has the rights that it had at its beginning. */

import type { AccountsModel, Model } from '../definition/model.ts'
import { Refusal } from '../refusal.ts'
import type { Store } from '../store/store.ts'
import { type AuthenticationSchemes, authenticate, type Credentials } from './authenticate.ts'
import { accountFromRow } from './basic-scheme.ts'
import { hasSecondFactor } from './credentials.ts'
import { type Account, type Principal, scopesOf } from './principal.ts'

export interface CallerCheckContext {
  readonly model: Model
  readonly store: Store
  readonly schemes: AuthenticationSchemes
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
  if (caller.kind === 'anonymous') return true
  const { accounts } = context.model
  // A password is not hashed again: a new one has another digest.
  if (accounts && caller.kind === 'account' && caller.credential.kind === 'password') {
    if (!(await hasSameAccount(context.store, accounts, caller))) return false
    // A password alone proves nothing any more.
    return !(await hasSecondFactor(context.model, context.store, caller.identity))
  }
  try {
    return isSameCaller(caller, await authenticate(context.schemes, credentials))
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return false
    throw error
  }
}

async function hasSameAccount(store: Store, accounts: AccountsModel, caller: Account): Promise<boolean> {
  const { name: table } = accounts.resource
  const row = await store.find({ table, column: '_identity', value: caller.identity, evaluated: [] })
  const account = row && accountFromRow(accounts, row)
  return account !== undefined && isSameCaller(caller, account)
}

function isSameCaller(one: Principal, other: Principal): boolean {
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
