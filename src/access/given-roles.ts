/**
 * Giving roles. A token gives other roles than the default only with a scope that says so, in whatever way: by a field, an
 * invitation, an action, or the password or login of another account, which would hand over its roles.
 */

import type { ResourceModel, Stored } from '../definition/model.ts'
import { insufficientScope } from './access-refusal.ts'
import { type Principal, scopesOf } from './principal.ts'
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
