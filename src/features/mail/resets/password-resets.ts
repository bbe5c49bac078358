/**
 * /password-resets: asks for a mail with a link to set a new password. The link names /password-resets/{secret}: its
 * page shows a form, and only the POST of the form uses it up.
 */

import { IDENTITY, type Stored } from '../../../definition/model.ts'
import type { ServiceContext } from '../../../requests/context/service-context.ts'
import { hashNewPassword } from '../../../requests/documents/posted-password.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { passwordResetsUri, signInUri } from '../../../views/uri.ts'
import { accountInput } from '../../accounts/account-input.ts'
import { createLink, linkDocument } from '../link-document.ts'
import { linkRequestDocument } from '../link-request.ts'
import { findAccountLink, type OpenLink, queueAccountMail } from '../linked-mail.ts'
import { findLoginProof, ownershipWrites } from '../login-proof.ts'
import { mailContextOf } from '../mail-context.ts'
import { mailWrites } from '../mail-record.ts'

const title = 'Set a new password'

export const passwordResets = linkRequestDocument({
  route: '/password-resets',
  name: 'password-resets',
  title,
  summary: 'How to set a new password',
  postSummary: 'Ask for a mail with a link to set a new password',
  autocomplete: 'username',
  others: [],
  authenticates: false,
  uriOf: passwordResetsUri,
  async ask({ service }, login) {
    await queueAccountMail(mailContextOf(service), 'passwordReset', login)
    return undefined
  },
})

const passwordResetLink = createLink<OpenLink, string>({
  async find(service, mail) {
    const context = mailContextOf(service)
    const { mails, accounts } = context.tables
    const open = await findAccountLink(context, mail)
    // The account may have another login by now.
    return open?.account[accounts.login.index] === readField(mails, mail, 'recipient') ? open : undefined
  },
  show: () => ({ data: {} }),
  check: (sent) => hashNewPassword(sent, String(sent.members.password)),
  write: ({ service }, open, hash) => passwordResetWrites(service, open, hash),
  actorOf: ({ account }) => ({ account: String(account[IDENTITY]) }),
  finish: ({ service }) => ({ next: signInUri(service.model) }),
})

export const passwordReset = linkDocument({
  route: '/password-resets/{secret}',
  name: 'password-reset',
  heading: title,
  summary: 'The page of a link to set a new password',
  postSummary: 'Set the new password',
  title: 'Set the password',
  authenticates: false,
  input: (accounts) =>
    accountInput('passwordReset', accounts, { fields: [accounts.password], label: 'New password' }),
  links: { passwordReset: passwordResetLink },
})

/**
 * The writes that set the password, make the account that of the owner of its address, use up the link and send a notice.
 * The store refuses them where either row has changed, so that a link works once. The new hash ends all sessions, tokens
 * and other resets.
 */
async function passwordResetWrites(
  service: ServiceContext,
  { mail, account }: OpenLink,
  passwordHash: string,
): Promise<readonly Write[]> {
  const { tables, now } = mailContextOf(service)
  const { accounts, mails } = tables
  const at = new Date(now()).toISOString()
  const changed: Readonly<Record<string, Stored>> = { [accounts.password.name]: passwordHash }
  const recipient = String(account[accounts.login.index])
  const proof = await findLoginProof(service, account)
  return [
    ...(await ownershipWrites(service, { mail, account }, proof)),
    updateFields(mails, mail, at, { usedAt: at }),
    updateFields(accounts.resource, account, at, changed),
    ...mailWrites(tables, { kind: 'passwordChanged', recipient, account }, now()),
  ]
}
