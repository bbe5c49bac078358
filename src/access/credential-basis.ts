/**
 * Webhooks and invitations outlive the request that makes them. Their basis is the account, or the token that they were
 * made with. One rule holds for all of them: a JWT makes none, because the service does not see its end; only the account
 * itself (password or session) and the very token that is their basis change them; and they end with their basis. See
 * decision 0101.
 */

import type { Model, ResourceModel } from '../definition/model.ts'
import { type Refusal, refuse } from '../refusal.ts'
import { all, always, type Condition, equals, never } from '../store/condition.ts'
import type { Store } from '../store/store.ts'
import { stillCounts } from '../store/table-rows.ts'
import type { RepeatRead } from '../store/write.ts'
import { callerRefusal } from './access-refusal.ts'
import type { TokenContext } from './account-tokens.ts'
import { findAccount } from './basic-scheme.ts'
import { type Account, mayChangeCredentials, type Principal } from './principal.ts'
import { findValidCredential } from './token-lookup.ts'

/** Whether items of the resource act for their owner after the request that made them. */
function hasBasis({ traits }: Pick<ResourceModel, 'traits'>): boolean {
  return traits.basis !== undefined
}

/** The token that is the basis of what the account makes now; null: the account itself is. */
export function basisOf({ credential }: Account): string | null {
  return credential.kind === 'token' && !credential.session ? credential.identity : null
}

/** Whether the caller's credential can be the basis of a new item: a JWT is none. */
export function canBeBasis(resource: Pick<ResourceModel, 'traits'>, caller: Principal): boolean {
  return !hasBasis(resource) || caller.kind !== 'account' || caller.credential.kind !== 'jwt'
}

/** The items that the caller's credential may change: all of the account's, or those that it is the basis of. */
export function basisCondition(
  { traits: { basis } }: Pick<ResourceModel, 'traits'>,
  caller: Principal,
): Condition {
  if (!basis || caller.kind !== 'account' || mayChangeCredentials(caller)) return always
  return caller.credential.kind === 'token' ? equals(basis, caller.credential.identity) : never
}

/** The refusal of a limited credential that is no basis of the resource's items; undefined for other callers. */
export function findBasisRefusal(
  resource: Pick<ResourceModel, 'traits'>,
  caller: Principal,
): Refusal | undefined {
  if (!hasBasis(resource) || caller.kind !== 'account' || mayChangeCredentials(caller)) return undefined
  return callerRefusal(caller, refusalDetails[caller.credential.kind === 'jwt' ? 'jwt' : 'token'])
}

const refusalDetails = {
  jwt: 'This lasts longer than a JWT. Use your password, sign in on the HTML pages, or create a token and use that.',
  token: 'A token changes only what was made with it. Use your password, or sign in on the HTML pages.',
} as const

/**
 * Checks at the commit, for writes of rows that outlive the request: the caller still has the password and the token that
 * it was identified with, and is not disabled. Refuses 401 where that does not hold now.
 */
export async function requireSameBasis(
  { model: { accounts, tokens }, store }: { readonly model: Model; readonly store: Store },
  caller: Principal,
): Promise<readonly RepeatRead[]> {
  if (!accounts || caller.kind !== 'account') return []
  const { identity, passwordMark, credential } = caller
  const found = await findAccount(accounts, store, identity)
  if (found?.account.passwordMark !== passwordMark) {
    throw refuse('unauthenticated', { detail: 'The account has just changed. Sign in again.' })
  }
  const hash = String(found.row[accounts.password.index])
  const isSame = [
    equals(['_identity'], identity),
    equals([accounts.password.name], hash),
    equals([accounts.disabled.name], 0),
  ]
  const hasAccount = stillCounts(accounts.resource, all(isSame), 1)
  if (credential.kind !== 'token' || !tokens) return [hasAccount]
  return [hasAccount, stillCounts(tokens, equals(['_identity'], credential.identity), 1)]
}

/** Whether items of the resource outlive the request that makes or changes them, with rights of the caller. */
export function isOutliving({ traits }: Pick<ResourceModel, 'traits'>): boolean {
  return traits.outlives === true
}

/**
 * The account with the rights of the basis: those of the token, or all of its own. Undefined where the basis has ended:
 * the account is gone or disabled, the token is revoked or expired, or the password has changed since.
 */
export async function findBasisAccount(
  tokens: TokenContext,
  identity: string,
  token: string | undefined,
): Promise<Account | undefined> {
  const { accounts, store } = tokens
  const { account } = (await findAccount(accounts, store, identity)) ?? {}
  if (!account || token === undefined) return account
  const credential = await findValidCredential(tokens, token, account)
  return credential && { ...account, roles: credential.roles ?? account.roles, credential }
}
