/**
 * Password resets. Asking for one does the same for known and unknown logins: it reads the account, and stores a row.
 * The mail is sent later, and only if there is an account.
 */

import { findAccountRow } from '../access/basic-scheme.ts'
import { sha256 } from '../access/secret-token.ts'
import { IDENTITY, type Stored } from '../definition/model.ts'
import { always } from '../store/condition.ts'
import { type Row, versionOf } from '../store/row.ts'
import { readField, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import type { DeleteWrite, Write } from '../store/write.ts'
import { findMailAccount, findMailBySecret, type MailTables, mailWrites } from './mail-record.ts'

export interface MailRequestContext {
  readonly tables: MailTables
  readonly store: Store
  /** The key of the secrets. */
  readonly key: Uint8Array
  readonly now: () => number
}

/** Milliseconds that a link is good for; also the time in which a login gets so many mails at most. */
export const resetLifetime = 3_600_000
const maxMails = 3
/** Attempts when concurrent requests take the same slot. */
const maxAttempts = 10

/** Records a mail with a link to the login. Does nothing for a login that has got three of them within an hour. */
export async function requestPasswordReset(context: MailRequestContext, login: string): Promise<void> {
  const { tables, store, key, now } = context
  const { accounts } = tables
  const recipient = String(accounts.login.encode(login) ?? login)
  const account = await findAccountRow(accounts, store, login)
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const free = await findFreeSlot(context, recipient)
    if (!free) return
    const secret = { key, slot: free.slot, lifetime: resetLifetime }
    const writes = mailWrites(tables, { kind: 'passwordReset', recipient, account, secret }, now())
    const written = await store.write([...free.writes, ...writes])
    if (written.kind === 'done') return
  }
}

interface FreeSlot {
  readonly slot: string
  /** The deletion of the old row that has the slot. */
  readonly writes: readonly Write[]
}

/** A slot that no mail of the last hour has; undefined: there is none. */
async function findFreeSlot(
  { tables, store, now }: MailRequestContext,
  recipient: string,
): Promise<FreeSlot | undefined> {
  const { mails } = tables
  const slots = Array.from({ length: maxMails }, (_, at) => sha256(JSON.stringify(['reset', recipient, at])))
  const rows = await Promise.all(
    slots.map((value) => store.find({ table: mails.name, column: 'slot', value, evaluated: [] })),
  )
  const isFree = (row: Row | undefined) =>
    !row || Date.parse(String(readField(mails, row, 'expiresAt'))) <= now()
  const at = rows.findIndex(isFree)
  const [slot, row] = [slots[at], rows[at]]
  if (slot === undefined) return undefined
  return { slot, writes: row ? [deletionOf(mails.name, row, now())] : [] }
}

function deletionOf(table: string, row: Row, now: number): DeleteWrite {
  const [identity, at] = [String(row[IDENTITY]), new Date(now).toISOString()]
  return { kind: 'delete', table, identity, version: versionOf(row), conditionBefore: always, at }
}

export interface OpenReset {
  readonly mail: Row
  readonly account: Row
}

/** The reset with this secret; undefined where it is unknown, used or expired, or the password has changed since. */
export async function findPasswordReset(
  { tables, store, now }: MailRequestContext,
  secret: string,
): Promise<OpenReset | undefined> {
  const { mails, accounts } = tables
  const mail = await findMailBySecret(tables, store, secret)
  if (!mail || readField(mails, mail, 'kind') !== 'passwordReset') return undefined
  const account = await findMailAccount(tables, store, mail, now())
  if (!account || account[accounts.login.index] !== readField(mails, mail, 'recipient')) return undefined
  const mark = sha256(String(account[accounts.password.index]))
  return mark === readField(mails, mail, 'passwordMark') ? { mail, account } : undefined
}

/**
 * The writes that set the password, use up the link and send a notice. The store refuses them where either row has
 * changed, so that a link works once. The new hash ends all sessions, tokens and other resets.
 */
export function passwordResetWrites(
  { tables, now }: MailRequestContext,
  { mail, account }: OpenReset,
  passwordHash: string,
): readonly Write[] {
  const { accounts, mails } = tables
  const at = new Date(now()).toISOString()
  const changed: Readonly<Record<string, Stored>> = { [accounts.password.name]: passwordHash }
  const recipient = String(account[accounts.login.index])
  return [
    updateFields(mails, mail, at, { usedAt: at }),
    updateFields(accounts.resource, account, at, changed),
    ...mailWrites(tables, { kind: 'passwordChanged', recipient, account }, now()),
  ]
}
