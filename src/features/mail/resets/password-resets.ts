/**
 * /password-resets: asks for a mail with a link to set a new password. The link names /password-resets/{secret}: its
 * page shows a form, and only the POST of the form uses it up.
 */

import { isMailProof, listBindings, proofWrite, stillBound } from '../../../access/bound-account.ts'
import { revokeAll, suspend } from '../../../access/revocation.ts'
import { IDENTITY, type Stored } from '../../../definition/model.ts'
import { accountsOf, type ServiceContext } from '../../../requests/context/service-context.ts'
import { hashNewPassword } from '../../../requests/documents/posted-password.ts'
import type { Row } from '../../../store/row.ts'
import { deleteRow, readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { passwordResetsUri, signInUri } from '../../../views/uri.ts'
import { accountInput } from '../../accounts/account-input.ts'
import { createLink, linkDocument } from '../link-document.ts'
import { linkRequestDocument } from '../link-request.ts'
import { findAccountLink, type OpenLink, queueAccountMail } from '../linked-mail.ts'
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
  ask: ({ service }, login) => queueAccountMail(mailContextOf(service), 'passwordReset', login),
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
  nextUri: signInUri,
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
 * The writes that set the password, use up the link, record the proof of the address and send a notice. The store refuses
 * them where either row has changed, so that a link works once. The new hash ends all sessions, tokens and other resets.
 * Subjects of providers that do not prove the address are removed: another person may have bound them. Where strangers can
 * choose logins and nothing had proven this one, another person may have made the account: all that it has handed out is
 * removed. Otherwise its webhooks stop until the owner activates them, and its invitations are revoked.
 */
async function passwordResetWrites(
  service: ServiceContext,
  { mail, account }: OpenLink,
  passwordHash: string,
): Promise<readonly Write[]> {
  const { model } = service
  const { credentials } = accountsOf(service)
  const { tables, store, now } = mailContextOf(service)
  const { accounts, mails } = tables
  const at = new Date(now()).toISOString()
  const changed: Readonly<Record<string, Stored>> = { [accounts.password.name]: passwordHash }
  const recipient = String(account[accounts.login.index])
  const identity = String(account[IDENTITY])
  const { resource } = credentials
  const bindings = await listBindings(credentials, identity)
  const proven = bindings.filter((row) => readField(resource, row, 'provenLogin') === recipient)
  const foreign = bindings.filter((row) => !proven.includes(row) && !isMailProof(resource, row))
  const isUnproven = accounts.selfChosenLogins && proven.length === 0
  const revoked = isUnproven ? await revokeAll({ model, store }, identity, at) : []
  return [
    stillBound(credentials, identity, bindings),
    ...(isUnproven
      ? revoked.filter((write) => !isOf(mail, write))
      : await suspend({ model, store }, identity, at)),
    ...foreign.map((row) => deleteRow(resource, row, at)),
    updateFields(mails, mail, at, { usedAt: at }),
    updateFields(accounts.resource, account, at, changed),
    await proofWrite(credentials, account, recipient),
    ...mailWrites(tables, { kind: 'passwordChanged', recipient, account }, now()),
  ]
}

function isOf(row: Row, write: Write): boolean {
  return write.kind === 'delete' && write.identity === row[IDENTITY]
}
