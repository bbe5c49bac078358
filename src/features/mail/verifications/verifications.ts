/**
 * /verifications: asks for a mail with a link that proves an address. A signed-in person asks for another address, which
 * becomes the login of the account when the link is used. The link names /verifications/{secret}, like that of a sign-up.
 */

import { currentPassword } from '../../../definition/current-password.ts'
import { createInputModel } from '../../../definition/input-model.ts'
import { passwordField } from '../../../definition/sign-in-fields.ts'
import { invalidContent } from '../../../refusal.ts'
import type { FormSubmission } from '../../../requests/context/target.ts'
import { requireOwnProof } from '../../../requests/documents/posted-password.ts'
import { findRow } from '../../../store/table-rows.ts'
import { verificationsUri } from '../../../views/uri.ts'
import { requirePasswordCaller } from '../../accounts/reauthentication.ts'
import { linkDocument } from '../link-document.ts'
import { linkRequestDocument } from '../link-request.ts'
import { type MailRequestContext, queueAccountMail } from '../linked-mail.ts'
import { mailContextOf } from '../mail-context.ts'
import { signUpLink } from '../sign-up/sign-up.ts'
import { verificationLink } from './verification.ts'

const title = 'Confirm an address'

export const verifications = linkRequestDocument({
  route: '/verifications',
  name: 'verifications',
  title,
  summary: 'How to confirm an address',
  postSummary: 'Ask for a mail with a link that proves an address',
  autocomplete: 'email',
  others: [currentPassword],
  uriOf: verificationsUri,
  async ask(sent, login) {
    await requestVerification(sent, login)
    return undefined
  },
})

export const verification = linkDocument({
  route: '/verifications/{secret}',
  name: 'verification',
  heading: title,
  summary: 'The page of a link that proves an address',
  postSummary: 'Confirm the address',
  title: 'Confirm the address',
  autocomplete: { password: 'current-password' },
  input: () => createInputModel('verification', [passwordField]),
  links: { verification: verificationLink, signUp: signUpLink },
})

/** A mail to the login; for a caller with another login, the change of it. Refuses 403, 422 and 429. */
async function requestVerification(sent: FormSubmission, login: string): Promise<void> {
  const { service, caller, members } = sent
  const context = mailContextOf(service)
  const { store, tables } = context
  const { accounts } = tables
  const account =
    caller.kind === 'account' ? await findRow(store, accounts.resource, caller.identity) : undefined
  if (!account || account[accounts.login.index] === accounts.login.encode(login)) {
    return queueAccountMail(context, 'verification', login)
  }
  await requireOwnProof(sent, requirePasswordCaller(sent), members.currentPassword)
  requireValidLogin(context, login)
  return queueAccountMail(context, 'verification', login, { asker: account })
}

/** Refuses 422 a login that the definition does not permit. */
function requireValidLogin({ tables }: MailRequestContext, value: string): void {
  const { resource, login } = tables.accounts
  const faults = resource.validate({ [login.name]: value })
  if (faults.length > 0) throw invalidContent(faults.map((fault) => ({ ...fault, pointer: '/login' })))
}
