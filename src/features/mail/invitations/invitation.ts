/**
 * /invitations/{secret}: the page of the link in an invitation. GET uses nothing up; the POST of its form creates the
 * account with the role of the invitation and the password that the person chooses, and the record that it carries.
 */

import { actorOf, anonymous } from '../../../access/principal.ts'
import { rightsOf } from '../../../access/rights.ts'
import type { AccountsModel, FieldModel, Stored } from '../../../definition/model.ts'
import { type Refusal, refuse } from '../../../refusal.ts'
import type { FormSubmission } from '../../../requests/context/target.ts'
import { hashNewPassword } from '../../../requests/documents/posted-password.ts'
import type { RefusedWrite } from '../../../requests/write/planned-change.ts'
import { signInUri } from '../../../views/uri.ts'
import { accountInput } from '../../accounts/account-input.ts'
import { encodeAccount } from '../../accounts/create-account.ts'
import { createLink, linkDocument, linkRefusal } from '../link-document.ts'
import { mailContextOf } from '../mail-context.ts'
import { acceptanceWrites, findUsableInvitation, type UsableInvitation } from './accept-invitation.ts'

const invitationLink = createLink<UsableInvitation, readonly Stored[]>({
  find: findUsableInvitation,
  show: ({ email, role }) => ({ data: { email, ...(role !== undefined && { role }) } }),
  check: acceptedFields,
  write: ({ service, request }, open, fields) => acceptanceWrites(service, request.id, { open, fields }),
  // The rights of the inviter create the record.
  actorOf: ({ record, inviter }) => actorOf(record ? inviter : anonymous),
  refusalOf: ({ model: { accounts } }, _open, refused) =>
    refused.reason.kind === 'stale' || !accounts ? undefined : toRefusal(accounts, refused),
  finish: ({ service }) => ({ next: signInUri(service.model) }),
})

export const invitation = linkDocument({
  route: '/invitations/{secret}',
  name: 'invitation',
  heading: 'Accept the invitation',
  title: 'Create the account',
  authenticates: false,
  input: (accounts) => accountInput('invitation', accounts, { fields: fieldsOfNewcomers(accounts) }),
  links: { invitation: invitationLink },
})

/** The fields that everyone may set, without the login and those of administrators. Files are added later. */
function fieldsOfNewcomers({
  resource,
  login,
  roles,
  disabled,
  password,
}: AccountsModel): readonly FieldModel[] {
  const { writability } = rightsOf(resource, anonymous)
  const isOpen = (field: FieldModel) =>
    !field.state && !field.file && writability.get(field)?.kind === 'always'
  const isGiven = (field: FieldModel) => [login, roles, disabled].includes(field)
  return resource.fields.filter((field) => field === password || (isOpen(field) && !isGiven(field)))
}

/** The stored values of the account, with the hashed password; refuses 422. */
async function acceptedFields(sent: FormSubmission, { given }: UsableInvitation): Promise<readonly Stored[]> {
  const { service, members } = sent
  const { accounts } = mailContextOf(service).tables
  const { password, ...others } = members
  const content = { ...others, [accounts.password.name]: String(password) }
  const fields = await encodeAccount(service, accounts, { sent: content, given })
  const hash = await hashNewPassword(sent, String(password))
  return fields.with(accounts.resource.fields.indexOf(accounts.password), hash)
}

/** 409 for a value that another account has. An address that has an account by now ends the link, and so does a taken value of the record. */
function toRefusal({ login, resource }: AccountsModel, { reason, write }: RefusedWrite): Refusal {
  const isOfAccount = write?.kind === 'insert' && write.table === resource.name
  const names = isOfAccount && reason.kind === 'duplicate' ? reason.columns : []
  const errors = names
    .filter((name) => resource.fieldByName.has(name))
    .map((name) => ({ pointer: `/${name}`, rule: 'unique', detail: 'This value is already taken.' }))
  if (errors.length === 0 || names.includes(login.name)) return linkRefusal()
  return refuse('duplicate', { detail: 'Another account has the same values.', errors })
}
