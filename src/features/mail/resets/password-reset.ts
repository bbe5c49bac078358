/** Password resets: a link in a mail to the login of an account. */

import { findAccountRow } from '../../../access/basic-scheme.ts'
import { listBindings, unbindWrites } from '../../../access/bound-account.ts'
import type { CredentialContext } from '../../../access/credentials.ts'
import { IDENTITY, type ResourceModel, type Stored } from '../../../definition/model.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { findUsableLink, type MailRequestContext, type OpenLink, queueLinkMail } from '../linked-mail.ts'
import { mailWrites } from '../mail-record.ts'

/** Records a mail to the login, whether or not there is an account. */
export async function requestPasswordReset(context: MailRequestContext, login: string): Promise<void> {
  const { accounts } = context.tables
  const recipient = String(accounts.login.encode(login) ?? login)
  const account = await findAccountRow(accounts, context.store, login)
  await queueLinkMail(context, { kind: 'passwordReset', recipient, account })
}

/** The reset with this secret; undefined where it cannot be used, or the account has another login by now. */
export async function findPasswordReset(
  context: MailRequestContext,
  secret: string,
): Promise<OpenLink | undefined> {
  const { mails, accounts } = context.tables
  const open = await findUsableLink(context, 'passwordReset', secret)
  if (!open) return undefined
  return open.account[accounts.login.index] === readField(mails, open.mail, 'recipient') ? open : undefined
}

/** A reset that can be used, and the tables of what the account is bound to. */
interface PasswordResetTarget extends OpenLink {
  readonly identities: ResourceModel
  readonly credentials: CredentialContext
}

/**
 * The writes that set the password, use up the link and send a notice. The store refuses them where either row has
 * changed, so that a link works once. The new hash ends all sessions, tokens and other resets. Subjects of providers that
 * do not prove the address are removed: another person may have bound them.
 */
export async function passwordResetWrites(
  { tables, store, now }: MailRequestContext,
  { mail, account, identities, credentials }: PasswordResetTarget,
  passwordHash: string,
): Promise<readonly Write[]> {
  const { accounts, mails } = tables
  const at = new Date(now()).toISOString()
  const changed: Readonly<Record<string, Stored>> = { [accounts.password.name]: passwordHash }
  const recipient = String(account[accounts.login.index])
  const bindings = await listBindings(store, identities, String(account[IDENTITY]))
  const foreign = bindings.filter((row) => readField(identities, row, 'provenLogin') !== recipient)
  return [
    updateFields(mails, mail, at, { usedAt: at }),
    updateFields(accounts.resource, account, at, changed),
    ...(await unbindWrites(credentials, identities, foreign)),
    ...mailWrites(tables, { kind: 'passwordChanged', recipient, account }, now()),
  ]
}
