/** Which role an account can give by an invitation. */

import { hasAdminRole } from '../../../access/access-refusal.ts'
import { mayGrant } from '../../../access/given-roles.ts'
import type { Account } from '../../../access/principal.ts'
import { rightsOf } from '../../../access/rights.ts'
import type { Model } from '../../../definition/model.ts'
import { always } from '../../../store/condition.ts'

/**
 * Whether the caller can give a new account the role: the usual one, its own ones, and others where it may set the roles
 * of accounts. Only administrators can give theirs. A token needs a scope for all but the usual one.
 */
export function mayGiveRole(model: Model, caller: Account, role: string): boolean {
  const { accounts } = model
  if (!accounts?.roles) return true
  if ([accounts.roles.default ?? []].flat().map(String).includes(role)) return true
  if (!mayGrant(accounts.resource, caller)) return false
  if (hasAdminRole(model, caller)) return true
  const maySetRoles = rightsOf(accounts.resource, caller).writability.get(accounts.roles) === always
  return role !== accounts.adminRole && (caller.roles.has(role) || maySetRoles)
}
