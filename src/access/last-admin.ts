/** The service keeps at least one account with the administrator's role, whatever is written. */

import type { AccountsModel, Model, ResourceModel } from '../definition/model.ts'
import { refuse } from '../refusal.ts'
import { all, type Condition, equals, not } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import type { MaybePromise, RequireWrite, Store } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { rolesFromRow } from './basic-scheme.ts'

/** The write to add where an account loses the role; none where it does not. */
export function adminRequirementOnUpdate(
  { accounts }: Model,
  resource: ResourceModel,
  before: Row,
  after: Row,
): readonly RequireWrite[] {
  if (accounts?.resource !== resource) return []
  return isAdmin(accounts, before) && !isAdmin(accounts, after) ? adminRequirement(accounts) : []
}

/** The write to add where an item is removed that may be, or take along, an administrator. */
export async function adminRequirementOnDelete(
  { accounts }: Model,
  store: Store,
  resource: ResourceModel,
  row: Row,
): Promise<readonly RequireWrite[]> {
  if (!accounts) return []
  if (resource === accounts.resource && isAdmin(accounts, row)) return adminRequirement(accounts)
  if (!cascadingResources(accounts.resource).has(resource)) return []
  const condition = adminCondition(accounts)
  // Where there is no administrator there is none to keep.
  const some = condition && (await store.count(accounts.resource.name, condition)) > 0
  return some ? adminRequirement(accounts) : []
}

/** Whether all administrators are among these accounts, and there is one. */
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

export function isAdmin(accounts: AccountsModel, row: Row): boolean {
  return accounts.roles !== undefined && rolesFromRow(accounts, row).has(accounts.adminRole)
}

/** 409: what would be lost, and what to do first. */
export function refuseLastAdmin({ accounts }: Model, resource: ResourceModel, method: string) {
  const isAccount = resource === accounts?.resource
  const what = isAccount ? 'This is' : 'Deleting it would delete'
  const detail = `${what} the last account with the role '${accounts?.adminRole}'. Give the role to another account first.`
  const pointer = `/${accounts?.roles?.name}`
  const errors = method === 'DELETE' ? [] : [{ pointer, rule: 'lastAdmin', detail }]
  return refuse('state-conflict', { detail, ...(errors.length > 0 ? { errors } : {}) })
}

function adminRequirement(accounts: AccountsModel): readonly RequireWrite[] {
  const condition = adminCondition(accounts)
  return condition ? [{ kind: 'require', table: accounts.resource.name, condition }] : []
}

/** Undefined where accounts have no roles. */
function adminCondition({ roles, adminRole }: AccountsModel): Condition | undefined {
  if (!roles) return undefined
  if (roles.kind !== 'list') return equals([roles.name], adminRole)
  return { kind: 'compare', path: [roles.name], operator: 'has', values: [adminRole] }
}

/** The resources whose items take items of this one along when they are removed, itself included. */
const cascadingResources = memoizeByObject(
  (resource: ResourceModel): ReadonlySet<ResourceModel> => {
    const found = new Set([resource])
    for (const one of found) {
      for (const { ref } of one.fields) if (ref?.onDelete === 'cascade') found.add(ref.resource)
    }
    return found
  },
)
