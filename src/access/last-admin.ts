/**
 * The last administrator: the store refuses every write that leaves none (`Schema.lastRow`), so that none is offered.
 * See decision 0103.
 */

import type { AccountsModel, Model } from '../definition/model.ts'
import { refuse } from '../refusal.ts'
import { all, type Condition, isOneOf, not } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { adminCondition } from '../store/schema/model-schema.ts'
import type { Store } from '../store/store.ts'
import type { Write } from '../store/write.ts'
import { isDisabled, rolesFromRow } from './basic-scheme.ts'

/** Whether these accounts include an admin and no other account is one. */
export async function areLastAdmins(
  { accounts }: Model,
  store: Store,
  identities: readonly string[],
): Promise<boolean> {
  const condition = accounts && adminCondition(accounts)
  if (!accounts || !condition || identities.length === 0) return false
  const within = isOneOf(['_identity'], identities)
  const count = (...more: Condition[]) => store.count(accounts.resource.name, all([condition, ...more]))
  return (await count(within)) > 0 && (await count(not(within))) === 0
}

/** Whether the account has the admin role and is not disabled. */
export function isAdmin(accounts: AccountsModel, row: Row): boolean {
  if (accounts.roles === undefined || isDisabled(accounts, row)) return false
  return rolesFromRow(accounts, row).has(accounts.adminRole)
}

/** Returns the refusal (409) of a write that would remove the last admin, from its own page or from elsewhere. */
export function lastAdminRefusal({ accounts }: Model, own: boolean, write: Write | undefined) {
  const what = own ? 'This is' : 'It would remove'
  const detail = `${what} the last account with the role '${accounts?.adminRole}'. Give the role to another account first.`
  if (!own || !accounts || write?.kind !== 'update') return refuse('state-conflict', { detail })
  const field = isDisabled(accounts, write.values) ? accounts.disabled : accounts.roles
  return refuse('state-conflict', {
    detail,
    errors: [{ pointer: `/${field?.name}`, rule: 'lastAdmin', detail }],
  })
}
