/**
 * Revokes the rights that an account has handed out. Where another person may have made the account, all of them are
 * removed; where its password is reset or it is disabled, its webhooks stop until the owner activates them.
 */

import { type BuiltInName, findBuiltIn } from '../definition/built-in-name.ts'
import { IDENTITY, type Model, type ResourceModel, type Stored } from '../definition/model.ts'
import { all, always, type Condition, equals } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { deleteRow, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import type { RepeatRead, Write } from '../store/write.ts'
import { isDisabled } from './basic-scheme.ts'
import { accountKey } from './principal.ts'
import { sha256 } from './secret-token.ts'

export interface RevocationContext {
  readonly model: Model
  readonly store: Store
}

interface Holding {
  readonly table: BuiltInName
  /** The column with the account. */
  readonly account: string
  readonly condition: Condition
}

const isRoot: Condition = { kind: 'compare', path: ['madeWith'], operator: 'missing', values: [] }
const isUnsent: Condition = { kind: 'compare', path: ['nonce'], operator: 'ne', values: [''] }
const isActive: Condition = equals(['active'], 1)

const webhooks: Holding = { table: 'webhooks', account: 'owner', condition: always }
const invitations: Holding = { table: 'invitations', account: 'invitedBy', condition: always }

/** The rows that an account holds. The subjects that it is bound to are not among them: callers decide what they prove. */
export const holdings: readonly Holding[] = [
  // Those that were made with one of them are deleted with it.
  { table: 'tokens', account: 'owner', condition: isRoot },
  { table: 'account_credentials', account: 'account', condition: always },
  { table: 'account_code_attempts', account: 'account', condition: always },
  webhooks,
  invitations,
  // The links of mails that were sent end with the password.
  { table: 'account_mails', account: 'account', condition: isUnsent },
]

/** The writes that remove all credentials, sessions, tokens, webhooks, invitations, uploads and pending mails of an account. */
export async function revokeAll(
  context: RevocationContext,
  account: string,
  at: string,
): Promise<readonly Write[]> {
  const removals = await Promise.all(
    holdings.map((holding) => change(context, holding, account, (table, row) => deleteRow(table, row, at))),
  )
  return [...removals.flat(), ...(await expireUploads(context, account, at))]
}

/** The writes that deactivate the webhooks of the account and revoke its invitations. */
export async function suspend(
  context: RevocationContext,
  account: string,
  at: string,
): Promise<readonly Write[]> {
  const active = { ...webhooks, condition: isActive }
  return [
    ...(await change(context, active, account, (table, row) => updateFields(table, row, at, { active: 0 }))),
    ...(await change(context, invitations, account, (table, row) => deleteRow(table, row, at))),
  ]
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
  { model, store }: RevocationContext,
  { table: name, account: column, condition: only }: Holding,
  account: string,
  changeOf: (table: ResourceModel, row: Row) => Write,
): Promise<readonly Write[]> {
  const resource = findBuiltIn(model.resources, name) ?? model.ownTables.get(name)
  if (!resource) return []
  const condition = all([equals([column], account), only])
  const rows = await store.list({
    table: resource.name,
    condition,
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: maxRows,
    evaluated: [],
  })
  const read = { kind: 'count', table: resource.name, condition } as const
  const isComplete: RepeatRead = { kind: 'repeat', read, found: String(rows.length) }
  return [isComplete, ...rows.map((row) => changeOf(resource, row))]
}

/** Uploads that have expired are removed later, with their parts. */
async function expireUploads(
  { model, store }: RevocationContext,
  account: string,
  at: string,
): Promise<readonly Write[]> {
  const uploads = model.ownTables.get('file_uploads')
  if (!uploads) return []
  const rows = await store.list({
    table: uploads.name,
    condition: equals(['holder'], sha256(accountKey(account))),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: maxRows,
    evaluated: [],
  })
  return rows.map((row) => updateFields(uploads, row, at, { expiresAt: at }))
}
