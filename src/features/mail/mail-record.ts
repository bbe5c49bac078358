/**
 * Mails as rows. A mail with a link has a secret: an HMAC of a key of the service over the identity and a nonce of the
 * row, so that a repeated mail has the same link. The row stores only the digest of the secret. The nonce is erased
 * when the mail server has accepted the mail, so a later copy of the database leads to no secret.
 */

import { createHmac, randomBytes, randomUUIDv7 } from 'node:crypto'
import { findAccount } from '../../access/basic-scheme.ts'
import { sha256 } from '../../access/secret-token.ts'
import { queueName } from '../../definition/delivery-resources.ts'
import { codeMail, kindsWithSecret, type MailKind } from '../../definition/mail-texts.ts'
import {
  type AccountsModel,
  IDENTITY,
  type Model,
  type ResourceModel,
  type Stored,
} from '../../definition/model.ts'
import type { Row } from '../../store/row.ts'
import { deleteRow, readField } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import { findRow, insertFields } from '../../store/table-rows.ts'
import type { InsertWrite, Write } from '../../store/write.ts'
import type { EraseWork } from '../../work/erase-work.ts'
import { enqueueWrite, type QueueContext } from '../../work/queued-work.ts'
import type { ComposedContent } from './compose-mail.ts'
import { mailConsumerName, mailsName } from './mails-resource.ts'

/** The tables of mails; undefined for a service without mail. */
export interface MailTables {
  readonly accounts: AccountsModel
  readonly mails: ResourceModel
  readonly queue: QueueContext
}

export function mailTablesOf({ accounts, ownTables }: Model): MailTables | undefined {
  const [mails, queue] = [ownTables.get(mailsName), ownTables.get(queueName)]
  return accounts && mails && queue && { accounts, mails, queue: { queue, consumer: mailConsumerName } }
}

/** Milliseconds that a mail without a link waits for the mail server at most. */
export const noticeTime = 3 * 86_400_000

export interface NewMail {
  readonly kind: MailKind
  readonly recipient: string
  /** The row of the account; undefined where the login has none: then nothing is sent. */
  readonly account: Row | undefined
  /** The stored values of an account that does not exist yet, as JSON. */
  readonly newAccount?: string | undefined
  /** The identity of the invitation that it is about. */
  readonly invitation?: string | undefined
  /** The identity of its row; a new one by default. */
  readonly identity?: string | undefined
  /** Of a mail with a secret. */
  readonly secret?: { readonly key: Uint8Array; readonly slot: string; readonly lifetime: number }
}

/** The writes that record a mail and queue it: it is sent after they are committed. */
export function mailWrites(tables: MailTables, mail: NewMail, now: number): readonly Write[] {
  const { accounts } = tables
  const { kind, recipient, account, newAccount, invitation, identity = randomUUIDv7(), secret } = mail
  const nonce = randomBytes(24).toString('base64url')
  const stored: Readonly<Record<string, Stored>> = {
    kind,
    recipient,
    account: account ? String(account[IDENTITY]) : null,
    passwordMark: account ? sha256(String(account[accounts.password.index])) : null,
    nonce,
    digest: secret ? sha256(secretOf(secret.key, identity, nonce)) : null,
    slot: secret?.slot ?? null,
    expiresAt: new Date(now + (secret?.lifetime ?? noticeTime)).toISOString(),
    newAccount: newAccount ?? null,
    invitation: invitation ?? null,
  }
  return queuedMailWrites(tables, { identity, stored }, now)
}

/** The writes that store the values by field, and queue the mail. */
export function queuedMailWrites(
  { mails, queue }: MailTables,
  { identity, stored }: { readonly identity: string; readonly stored: Readonly<Record<string, Stored>> },
  now: number,
): readonly InsertWrite[] {
  const at = new Date(now).toISOString()
  const work = { subscriber: 'mail', item: identity, position: 0, payload: identity }
  return [insertFields(mails, at, stored, identity), enqueueWrite(queue, work, at)]
}

/** The secret in the link of a mail. */
export function secretOf(key: Uint8Array, identity: string, nonce: string): string {
  return createHmac('sha256', key).update(`${identity} ${nonce}`).digest('base64url')
}

/** A mail as it is stored. */
export interface StoredMail {
  readonly row: Row
  readonly identity: string
  readonly kind: MailKind | typeof codeMail
  readonly recipient: string
  readonly nonce: string
  /** Of a mail of code that was not sent yet. */
  readonly content: ComposedContent | undefined
  readonly hasSecret: boolean
  /** Whether newer mails have taken its place. */
  readonly isReplaced: boolean
}

export function readMail(mails: ResourceModel, row: Row): StoredMail {
  const text = (name: string) => String(readField(mails, row, name))
  // Written by `mailWrites`, or as a mail of code.
  const kind = text('kind') as MailKind | typeof codeMail
  const content = readField(mails, row, 'content')
  const hasSecret = kind !== codeMail && kindsWithSecret.has(kind)
  return {
    row,
    identity: String(row[IDENTITY]),
    kind,
    recipient: text('recipient'),
    nonce: text('nonce'),
    // Written by features/mail/code/code-mail.ts.
    content: content === null ? undefined : (JSON.parse(String(content)) as ComposedContent),
    hasSecret,
    isReplaced: hasSecret && readField(mails, row, 'slot') === null,
  }
}

/** Whether the mail has not expired and was not used. */
export function isMailOpen(mails: ResourceModel, row: Row, now: number): boolean {
  const isExpired = Date.parse(String(readField(mails, row, 'expiresAt'))) <= now
  return !isExpired && readField(mails, row, 'usedAt') === null
}

/** The account of a mail that is still good; undefined where it has expired or was used, or the account is disabled. */
export async function findMailAccount(
  { accounts, mails }: MailTables,
  store: Store,
  row: Row,
  now: number,
): Promise<Row | undefined> {
  const identity = readField(mails, row, 'account')
  if (identity === null || !isMailOpen(mails, row, now)) return undefined
  return (await findAccount(accounts, store, String(identity)))?.row
}

/** The mail with this secret; undefined where there is none. */
export async function findMailBySecret(
  { mails }: MailTables,
  store: Store,
  secret: string,
): Promise<Row | undefined> {
  return findRow(store, mails, sha256(secret), 'digest')
}

/** A mail to an account has its address, in a row of its own, which is deleted with its link. */
export const eraseMail: EraseWork = async ({ payload }, { model, store, table, identity, at }) => {
  const tables = mailTablesOf(model)
  if (tables?.accounts.resource.name !== table) return undefined
  const { mails } = tables
  const row = await findRow(store, mails, payload)
  return row && readField(mails, row, 'account') === identity ? [deleteRow(mails, row, at)] : undefined
}
