/** Invitations: a link in a mail to a person without an account, who chooses the password of a new one. */

import { accountFromRow } from '../../../access/basic-scheme.ts'
import type { Account } from '../../../access/principal.ts'
import type { Model, ResourceModel } from '../../../definition/model.ts'
import type { Row } from '../../../store/row.ts'
import { readField } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import type { MailRequestContext } from '../linked-mail.ts'
import { findMailBySecret, isMailOpen, type MailTables } from '../mail-record.ts'
import { invitationsOf } from './invitations-resource.ts'

/** Milliseconds that the link of an invitation is good for. */
export const invitationLifetime = 7 * 86_400_000

/** An invitation whose link can be used, and the account that invites. */
export interface OpenInvitation {
  readonly mail: Row
  readonly invitation: Row
  readonly inviter: Account
}

/** The invitation with this secret; undefined where it is unknown, used, revoked or expired, or its inviter is disabled. */
export async function findInvitationBySecret(
  context: MailRequestContext,
  model: Model,
  secret: string,
): Promise<OpenInvitation | undefined> {
  const { tables, store, now } = context
  const { mails } = tables
  const invitations = invitationsOf(model)
  const mail = await findMailBySecret(tables, store, secret)
  if (!invitations || !mail || readField(mails, mail, 'kind') !== 'invitation') return undefined
  if (!isMailOpen(mails, mail, now())) return undefined
  const invitation = await findInvitationOf(tables, { invitations, store }, mail)
  if (!invitation) return undefined
  const inviter = await findInviter(tables, { invitations, store }, invitation)
  return inviter && { mail, invitation, inviter }
}

interface InvitationTable {
  readonly invitations: ResourceModel
  readonly store: Store
}

/** The invitation that the mail is about; undefined where it was accepted or revoked. */
export function findInvitationOf(
  { mails }: Pick<MailTables, 'mails'>,
  { invitations, store }: InvitationTable,
  mail: Row,
) {
  const value = readField(mails, mail, 'invitation') ?? null
  if (value === null) return undefined
  return store.find({ table: invitations.name, column: '_identity', value, evaluated: [] })
}

/** The account that invites; undefined where it is disabled. */
async function findInviter(
  { accounts }: MailTables,
  { invitations, store }: InvitationTable,
  invitation: Row,
): Promise<Account | undefined> {
  const value = String(readField(invitations, invitation, 'invitedBy'))
  const table = accounts.resource.name
  const row = await store.find({ table, column: '_identity', value, evaluated: [] })
  return row && accountFromRow(accounts, row)
}
