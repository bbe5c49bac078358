/**
 * Revokes the rights that an account has handed out. Where another person may have made the account, all of them are
 * removed; where its password is reset or it is disabled, its webhooks stop until the owner activates them.
 */

import type { HeldBy } from '../definition/built-in-table.ts'
import { IDENTITY, type Model, type ResourceModel, type Stored } from '../definition/model.ts'
import { all, always, type Condition, equals } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { deleteRow, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import { listRows, stillCounts } from '../store/table-rows.ts'
import type { Write } from '../store/write.ts'
import { isDisabled } from './basic-scheme.ts'
import { accountKey } from './principal.ts'
import { sha256 } from './secret-token.ts'

export interface RevocationContext {
  readonly model: Model
  readonly store: Store
}

/** The writes that remove all credentials, sessions, tokens, webhooks, invitations, uploads and pending mails of an account. */
export async function revokeAll(
  context: RevocationContext,
  account: string,
  at: string,
): Promise<readonly Write[]> {
  const removals = heldTables(context.model).map(({ resource, held }) => {
    const condition = heldBy(held, account)
    const expire = (row: Row) => updateFields(resource, row, at, { expiresAt: at })
    const remove = (row: Row) => deleteRow(resource, row, at)
    return change(context, resource, condition, held.loss === 'expiry' ? expire : remove)
  })
  return (await Promise.all(removals)).flat()
}

/** The writes that deactivate the webhooks of the account and revoke its invitations. */
export async function suspend(
  context: RevocationContext,
  account: string,
  at: string,
): Promise<readonly Write[]> {
  const changes = heldTables(context.model).map(({ resource, held }) => {
    const condition = heldBy(held, account)
    if (held.suspension === 'deletion') {
      return change(context, resource, condition, (row) => deleteRow(resource, row, at))
    }
    if (held.suspension !== 'deactivation') return []
    const active = all([condition, equals(['active'], 1)])
    return change(context, resource, active, (row) => updateFields(resource, row, at, { active: 0 }))
  })
  return (await Promise.all(changes)).flat()
}

interface HeldTable {
  readonly resource: ResourceModel
  readonly held: HeldBy
}

/** The tables whose items accounts hold. The subjects that they are bound to are not among them: callers decide what they prove. */
function heldTables({ resources, ownTables }: Model): readonly HeldTable[] {
  return [...resources.values(), ...ownTables.values()].flatMap((resource) => {
    const { held } = resource.traits
    return held ? [{ resource, held }] : []
  })
}

/** The condition that holds for the items of the account. */
export function heldBy({ account: field, isDigest, only }: HeldBy, account: string): Condition {
  return all([equals([field], isDigest ? sha256(accountKey(account)) : account), only ?? always])
}

/** A change of an account: its row before, the values after, and whether the owner itself has made it. */
export interface AccountChange {
  readonly before: Row
  readonly after: readonly Stored[]
  readonly isOwn: boolean
  readonly at: string
}

/** The writes beside the change of a row: those of `suspend` where it disables an account, or another person sets its password. */
export async function suspendOnUpdate(
  context: RevocationContext,
  resource: ResourceModel,
  { before, after, isOwn, at }: AccountChange,
): Promise<readonly Write[]> {
  const { accounts } = context.model
  if (accounts?.resource !== resource) return []
  const isEnding = !isDisabled(accounts, before) && isDisabled(accounts, [...after])
  const isReset = !isOwn && before[accounts.password.index] !== after[accounts.password.index]
  return isEnding || isReset ? suspend(context, String(before[IDENTITY]), at) : []
}

/** More than an account can hold of anything. */
const maxRows = 10_000

/** The change of each row, and a check that there are no others at the commit. */
async function change(
  { store }: RevocationContext,
  resource: ResourceModel,
  condition: Condition,
  changeOf: (row: Row) => Write,
): Promise<readonly Write[]> {
  const rows = await listRows(store, resource, { condition, limit: maxRows })
  return [stillCounts(resource, condition, rows.length), ...rows.map(changeOf)]
}
