/**
 * Proof of an address: a link in a mail to it. Using the link needs the password of the account too, or its session:
 * otherwise the owner of the address could be led to confirm an account of another person (account pre-hijacking).
 */

import { findAccountRow } from '../../../access/basic-scheme.ts'
import { proofWrite } from '../../../access/bound-account.ts'
import type { CredentialContext } from '../../../access/credentials.ts'
import type { Row } from '../../../store/row.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { type MailRequestContext, type OpenLink, queueLinkMail } from '../linked-mail.ts'
import { mailWrites } from '../mail-record.ts'

/** Records a mail to the login. It is sent only if there is an account. */
export async function queueVerificationMail(context: MailRequestContext, login: string): Promise<void> {
  const { accounts } = context.tables
  const recipient = String(accounts.login.encode(login) ?? login)
  const account = await findAccountRow(accounts, context.store, login)
  await queueLinkMail(context, { kind: 'verification', recipient, account })
}

/** Records a mail to another address for the account; none is sent to the address of another account. */
export async function requestLoginChange(
  context: MailRequestContext,
  account: Row,
  login: string,
): Promise<void> {
  const { accounts } = context.tables
  const recipient = String(accounts.login.encode(login) ?? login)
  const other = await findAccountRow(accounts, context.store, login)
  await queueLinkMail(context, { kind: 'verification', recipient, account: other ? undefined : account })
}

/**
 * The writes that use up the link and record the proof. Where the account has another login, the address becomes its
 * login, and the former address gets a notice. The store refuses them where a row has changed, or the login is taken.
 */
export async function verificationWrites(
  context: MailRequestContext,
  credentials: CredentialContext,
  { mail, account }: OpenLink,
): Promise<readonly Write[]> {
  const { tables, now } = context
  const { accounts, mails } = tables
  const { login, resource } = accounts
  const at = new Date(now()).toISOString()
  const address = String(readField(mails, mail, 'recipient'))
  const former = account[login.index] ?? null
  const changed: readonly Write[] =
    former === address
      ? []
      : [
          updateFields(resource, account, at, { [login.name]: address }),
          ...mailWrites(tables, { kind: 'loginChanged', recipient: String(former), account }, now()),
        ]
  return [
    updateFields(mails, mail, at, { usedAt: at }),
    ...changed,
    await proofWrite(credentials, account, address),
  ]
}
