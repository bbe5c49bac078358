/** The acceptance of an invitation: its account is created, and the invitation is deleted. */

import { proofWrite } from '../../../access/bound-account.ts'
import { type FieldModel, IDENTITY, type JsonValue, type Stored } from '../../../definition/model.ts'
import { accountsOf, type ServiceContext } from '../../../requests/context/service-context.ts'
import { currentTimestamp } from '../../../requests/write/prepare-insert.ts'
import { always } from '../../../store/condition.ts'
import { type Row, versionOf } from '../../../store/row.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { accountInsert } from '../../accounts/create-account.ts'
import { mailContextOf } from '../mail-context.ts'
import { findOpenInvitation, type OpenInvitation } from './invitation-mail.ts'
import { invitationsOf } from './invitations-resource.ts'

/** An invitation that can be accepted, and the values that it gives the account. */
export interface UsableInvitation extends OpenInvitation {
  readonly email: string
  readonly given: ReadonlyMap<FieldModel, JsonValue>
}

/** The invitation of the mail; undefined where it cannot be accepted any more. */
export async function findUsableInvitation(
  service: ServiceContext,
  mail: Row,
): Promise<UsableInvitation | undefined> {
  const { model, store } = service
  const [invitations, { accounts }] = [invitationsOf(model), model]
  if (!invitations || !accounts) return undefined
  const { tokens } = accountsOf(service)
  const { tables, now } = mailContextOf(service)
  const open = await findOpenInvitation({ model, store, tables, tokens, now }, mail)
  if (!open) return undefined
  const email = String(readField(invitations, open.invitation, 'email'))
  const given = new Map<FieldModel, JsonValue>([[accounts.login, email]])
  if (accounts.roles && open.role !== undefined) {
    given.set(accounts.roles, accounts.roles.item ? [open.role] : open.role)
  }
  return { ...open, email, given }
}

/**
 * The writes that create the account with these stored values, use up the link, delete the invitation and record the
 * proof of the address. The store refuses them where the link was used or revoked, or a value is taken by now.
 */
export async function acceptanceWrites(
  service: ServiceContext,
  requestId: string,
  accepted: { readonly open: UsableInvitation; readonly fields: readonly Stored[] },
): Promise<readonly Write[]> {
  const context = mailContextOf(service)
  const { mails } = context.tables
  const { mail, invitation, email: address } = accepted.open
  const invitations = invitationsOf(service.model)
  if (!invitations) throw new Error('Invitations need accounts')
  const at = currentTimestamp(service)
  const created = { fields: accepted.fields, conditionAfter: always }
  const { values, writes } = await accountInsert(service, requestId, created)
  return [
    ...writes,
    updateFields(mails, mail, at, { usedAt: at }),
    {
      kind: 'delete',
      table: invitations.name,
      identity: String(invitation[IDENTITY]),
      version: versionOf(invitation),
      conditionBefore: always,
      at,
    },
    await proofWrite(accountsOf(service).credentials, values, address),
  ]
}
