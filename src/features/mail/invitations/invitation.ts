/**
 * /invitations/{secret}: the page of the link in an invitation. GET uses nothing up; the POST of its form creates the
 * account with the role of the invitation and the password that the person chooses.
 */

import { actorOf } from '../../../access/actor.ts'
import { anonymous } from '../../../access/principal.ts'
import type { AccountsModel, Stored } from '../../../definition/model.ts'
import { type ContentFault, invalidContent, type Refusal, refuse } from '../../../refusal.ts'
import { hashNewPassword } from '../../../requests/documents/posted-password.ts'
import type { ContentMembers } from '../../../requests/write/draft-from-content.ts'
import type { WriteRefusal } from '../../../store/write.ts'
import { signInUri } from '../../../views/uri.ts'
import { encodeAccount } from '../../accounts/create-account.ts'
import { createLink, type LinkUse, linkDocument, linkRefusal } from '../link-document.ts'
import { mailContextOf } from '../mail-context.ts'
import { acceptanceWrites, findUsableInvitation, type UsableInvitation } from './accept-invitation.ts'

const invitationLink = createLink<UsableInvitation, readonly Stored[]>({
  find: findUsableInvitation,
  show: ({ email, role }) => ({ email, ...(role !== undefined && { role }) }),
  check: acceptedFields,
  write: ({ received }, open, fields) =>
    acceptanceWrites(received.service, received.request.id, { open, fields }),
  actorOf: () => actorOf(anonymous),
  refusalOf: ({ model: { accounts } }, _open, reason) =>
    reason.kind === 'stale' || !accounts ? undefined : toRefusal(accounts, reason),
  nextUri: signInUri,
})

export const invitation = linkDocument({
  route: '/invitations/{secret}',
  name: 'invitation',
  title: 'Accept the invitation',
  resourceOf: ({ accounts }) => accounts?.resource,
  links: { invitation: invitationLink },
})

/** The stored values of the account, with the hashed password; refuses 422. */
async function acceptedFields(
  { received, members: { password, ...members } }: LinkUse,
  { given }: UsableInvitation,
): Promise<readonly Stored[]> {
  const { service } = received
  const { accounts } = mailContextOf(service).tables
  if (typeof password !== 'string' || password === '') throw invalidContent([missingPassword])
  // Values were parsed from JSON or from a form.
  const sent = { ...members, [accounts.password.name]: password } as ContentMembers
  const fields = await encodeAccount(service, accounts, { sent, given })
  const hash = await hashNewPassword(received, password)
  return fields.with(accounts.resource.fields.indexOf(accounts.password), hash)
}

const missingPassword: ContentFault = {
  pointer: '/password',
  rule: 'required',
  detail: 'Choose a password.',
}

/** 409 for a value that another account has; an address that has an account by now ends the link. */
function toRefusal({ login, resource }: AccountsModel, reason: WriteRefusal): Refusal {
  const names = reason.kind === 'duplicate' ? reason.columns : []
  const errors = names
    .filter((name) => resource.fieldByName.has(name))
    .map((name) => ({ pointer: `/${name}`, rule: 'unique', detail: 'This value is already taken.' }))
  if (errors.length === 0 || names.includes(login.name)) return linkRefusal()
  return refuse('duplicate', { detail: 'Another account has the same values.', errors })
}
