/** Ensures that at least one account with the admin role remains after every write. */

import type { AccountsModel, FieldModel, Model, ResourceModel } from '../definition/model.ts'
import { refuse } from '../refusal.ts'
import { all, type Condition, equals, not } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import type { MaybePromise, Store } from '../store/store.ts'
import type { RequireRow } from '../store/write.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { isDisabled, rolesFromRow } from './basic-scheme.ts'

/** Returns the requirement to add to a write by which an administrator loses the role or is disabled; else none. */
export function adminRequirementOnUpdate(
  { accounts }: Model,
  resource: ResourceModel,
  before: Row,
  after: Row,
): readonly RequireRow[] {
  if (accounts?.resource !== resource) return []
  if (!isAdmin(accounts, before) || isAdmin(accounts, after)) return []
  return adminRequirement(accounts, isDisabled(accounts, after) ? accounts.disabled : accounts.roles)
}

/** Returns the requirement to add when deleting an item may delete an admin, directly or by cascade. */
export async function adminRequirementOnDelete(
  { accounts }: Model,
  store: Store,
  resource: ResourceModel,
  row: Row,
): Promise<readonly RequireRow[]> {
  if (!accounts) return []
  if (resource === accounts.resource && isAdmin(accounts, row)) return adminRequirement(accounts)
  if (!cascadingResources(accounts.resource).has(resource)) return []
  const condition = adminCondition(accounts)
  // Without any admin the requirement would block every deletion.
  const hasAdmin = condition && (await store.count(accounts.resource.name, condition)) > 0
  return hasAdmin ? adminRequirement(accounts) : []
}

/** Whether these accounts include an admin and no other account is one. */
export async function areLastAdmins(
  { accounts }: Model,
  store: Store,
  identities: readonly string[],
): Promise<boolean> {
  const condition = accounts && adminCondition(accounts)
  if (!accounts || !condition || identities.length === 0) return false
  const within: Condition = {
    kind: 'compare',
    path: ['_identity'],
    operator: 'in',
    values: identities,
  }
  const count = (...more: Condition[]): MaybePromise<number> =>
    store.count(accounts.resource.name, all([condition, ...more]))
  return (await count(within)) > 0 && (await count(not(within))) === 0
}

/** Whether the account has the admin role and is not disabled. */
export function isAdmin(accounts: AccountsModel, row: Row): boolean {
  if (accounts.roles === undefined || isDisabled(accounts, row)) return false
  return rolesFromRow(accounts, row).has(accounts.adminRole)
}

/** Returns the refusal (409) of a write that would remove the last admin, with the column that it would change. */
export function lastAdminRefusal({ accounts }: Model, resource: ResourceModel, column: string | undefined) {
  const isAccount = resource === accounts?.resource
  const what = isAccount ? 'This is' : 'Deleting it would delete'
  const detail = `${what} the last account with the role '${accounts?.adminRole}'. Give the role to another account first.`
  if (column === undefined) return refuse('state-conflict', { detail })
  return refuse('state-conflict', { detail, errors: [{ pointer: `/${column}`, rule: 'lastAdmin', detail }] })
}

function adminRequirement(accounts: AccountsModel, changed?: FieldModel): readonly RequireRow[] {
  const condition = adminCondition(accounts)
  const column = changed && { column: changed.name }
  return condition ? [{ kind: 'require', table: accounts.resource.name, condition, ...column }] : []
}

/** Undefined when accounts have no roles. */
function adminCondition({ roles, adminRole, disabled }: AccountsModel): Condition | undefined {
  if (!roles) return undefined
  const operator = roles.kind === 'list' ? 'has' : 'eq'
  const hasRole: Condition = { kind: 'compare', path: [roles.name], operator, values: [adminRole] }
  return all([hasRole, equals([disabled.name], 0)])
}

/** The resources whose deleted items cascade to items of this one, itself included. */
const cascadingResources = memoizeByObject((resource: ResourceModel): ReadonlySet<ResourceModel> => {
  const found = new Set([resource])
  for (const one of found) {
    for (const { ref } of one.fields) if (ref?.onDelete === 'cascade') found.add(ref.resource)
  }
  return found
})
