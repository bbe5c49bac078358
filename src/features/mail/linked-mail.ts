/**
 * Mails with a link. Asking for one does the same for known and unknown logins: it stores a row. The mail is sent later,
 * and only if there is an account.
 */

import { findAccountRow } from '../../access/basic-scheme.ts'
import { sha256 } from '../../access/secret-token.ts'
import type { MailKind } from '../../definition/mail-texts.ts'
import { CREATED_AT } from '../../definition/model.ts'
import type { Row } from '../../store/row.ts'
import { readField, updateFields } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import { findRow } from '../../store/table-rows.ts'
import type { Write } from '../../store/write.ts'
import { findMailAccount, type MailTables, mailWrites } from './mail-record.ts'

export interface MailRequestContext {
  readonly tables: MailTables
  readonly store: Store
  /** The key of the secrets. */
  readonly key: Uint8Array
  readonly now: () => number
}

/** Milliseconds that a link is good for by default. */
const linkLifetime = 3_600_000
/** Mails of a kind that wait for an address at most. */
const maxSlots = 3
/** Attempts when concurrent requests take the same slot. */
const maxAttempts = 10

export interface RequestedMail {
  readonly kind: MailKind
  readonly recipient: string
  /** Undefined: nothing is sent, unless the link makes an account. */
  readonly account: Row | undefined
  /** The stored values of an account that does not exist yet, as JSON. */
  readonly newAccount?: string
  /** The identity of the invitation that it is about. */
  readonly invitation?: string
  /** The kind of mail that it is counted as; its own by default. */
  readonly countedAs?: MailKind
  /** Milliseconds that the link is good for; an hour by default. */
  readonly lifetime?: number
  /** The identity of its row; a new one by default. */
  readonly identity?: string
}

/**
 * Records a mail to the login. It is sent only where there is an account; one to an account that asks for another login,
 * only where the login has none.
 */
export async function queueAccountMail(
  context: MailRequestContext,
  kind: MailKind,
  login: string,
  { asker, ...more }: Pick<RequestedMail, 'identity' | 'lifetime'> & { readonly asker?: Row } = {},
): Promise<void> {
  const { accounts } = context.tables
  const recipient = String(accounts.login.encode(login) ?? login)
  const found = await findAccountRow(accounts, context.store, login)
  const account = found && asker ? undefined : (found ?? asker)
  await queueLinkMail(context, { ...more, kind, recipient, account })
}

/** Records a mail with a link. Newer mails of its kind to the address may take its place while it waits. */
async function queueLinkMail(context: MailRequestContext, mail: RequestedMail): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const writes = await linkMailWrites(context, mail)
    if ((await context.store.write(writes)).kind === 'done') return
  }
}

/**
 * The writes that record a mail with a link. Of the mails of its kind that were asked for within an hour three keep a
 * slot: a newer one takes that of the oldest, which is not sent any more if it still waits. The store refuses the
 * writes where a concurrent request has taken the same slot.
 */
export async function linkMailWrites(
  context: MailRequestContext,
  mail: RequestedMail,
): Promise<readonly Write[]> {
  const { tables, key, now } = context
  const { slot, writes } = await takeSlot(context, mail)
  const secret = { key, slot, lifetime: mail.lifetime ?? linkLifetime }
  return [...writes, ...mailWrites(tables, { ...mail, secret }, now())]
}

interface TakenSlot {
  readonly slot: string
  /** The update of the old row that has the slot. */
  readonly writes: readonly Write[]
}

/** A slot that no mail has, else that of the oldest mail. */
async function takeSlot(
  { tables, store, now }: MailRequestContext,
  { kind, countedAs = kind, recipient }: RequestedMail,
): Promise<TakenSlot> {
  const { mails } = tables
  const taken = await Promise.all(
    Array.from({ length: maxSlots }, async (_, at) => {
      const slot = sha256(JSON.stringify([countedAs, recipient, at]))
      return {
        slot,
        row: await findRow(store, mails, slot, 'slot'),
      }
    }),
  )
  const createdAt = ({ row }: { readonly row: Row | undefined }) => (row ? String(row[CREATED_AT]) : '')
  const { slot, row } = taken.reduce((oldest, one) => (createdAt(one) < createdAt(oldest) ? one : oldest))
  return {
    slot,
    writes: row ? [updateFields(mails, row, new Date(now()).toISOString(), { slot: null })] : [],
  }
}

/** A link of an account that can be used: the row of its mail, and that of the account. */
export interface OpenLink {
  readonly mail: Row
  readonly account: Row
}

/** The link of the mail; undefined where it was used or has expired, or the password has changed since. */
export async function findAccountLink(
  { tables, store, now }: MailRequestContext,
  mail: Row,
): Promise<OpenLink | undefined> {
  const { mails, accounts } = tables
  const account = await findMailAccount(tables, store, mail, now())
  if (!account) return undefined
  const mark = sha256(String(account[accounts.password.index]))
  return mark === readField(mails, mail, 'passwordMark') ? { mail, account } : undefined
}
