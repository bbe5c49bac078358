/**
 * Giving roles. A token gives other roles than the default only with a scope that says so, in whatever way: by a field, an
 * invitation, an action, or the password or login of another account, which would hand over its roles.
 */

import type { AccountsModel, ResourceModel, Stored } from '../definition/model.ts'
import { type Refusal, refuse } from '../refusal.ts'
import type { Row } from '../store/row.ts'
import { insufficientScope } from './access-refusal.ts'
import { isOwnAccount, mayChangeCredentials, type Principal, scopesOf } from './principal.ts'
import { scopesPermitGrant } from './scopes.ts'

/**
 * Whether the scopes of the caller, if it has some, permit to give roles. Its rights are decided apart from that. Undefined:
 * a caller whose credential is gone.
 */
export function mayGrant({ name }: Pick<ResourceModel, 'name'>, caller: Principal | undefined): boolean {
  if (!caller) return false
  const scopes = scopesOf(caller)
  return scopes === undefined || scopesPermitGrant(scopes, name)
}

/** Refuses 403 a token without the scope. */
export function requireGrant(accounts: Pick<ResourceModel, 'name'>, caller: Principal | undefined): void {
  if (!mayGrant(accounts, caller)) throw insufficientScope(`${accounts.name}:grant`)
}

/**
 * Refuses 403 a caller who may not set the password or login of the account: of its own with a token or a JWT, of another
 * with a token without the scope.
 */
export function requireCredentialsRight(
  { resource }: Pick<AccountsModel, 'resource'>,
  caller: Principal | undefined,
  row: Row,
): void {
  if (!caller || !isOwnAccount(caller, row)) requireGrant(resource, caller)
  else if (!mayChangeCredentials(caller)) throw weakCredential
}

const weakCredential = refuse('forbidden', {
  detail:
    'A token or a JWT cannot change the password or login of its own account. Use Basic, or sign in on the HTML pages.',
})

/** Whether the refusal is that of a credential which does less than its account may do. */
export function isCredentialRefusal(refusal: Refusal): boolean {
  return refusal === weakCredential || refusal.options.fields?.['WWW-Authenticate'] !== undefined
}

/** Whether the new values of an account are another password or login than before. */
export function changesCredentials(
  { login, password }: Pick<AccountsModel, 'login' | 'password'>,
  before: Row,
  after: readonly Stored[],
): boolean {
  return [login, password].some(({ index }) => after[index] !== before[index])
}

/** Whether the new values of an account give it other roles than before; those of a new one other than the default. */
export function givesRoles(
  { roles }: Pick<ResourceModel, 'roles'>,
  before: readonly Stored[] | undefined,
  after: readonly Stored[],
): boolean {
  if (!roles) return false
  const usual = roles.default === undefined ? null : roles.encode(roles.default)
  return after[roles.index] !== (before ? before[roles.index] : usual)
}
