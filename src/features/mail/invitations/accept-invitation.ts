/** The acceptance of an invitation: its account is created, and the invitation is deleted. */

import { rightsOf } from '../../../access/rights.ts'
import { type FieldModel, IDENTITY, type JsonValue, type Stored } from '../../../definition/model.ts'
import type { ServiceContext } from '../../../requests/context/service-context.ts'
import { currentTimestamp } from '../../../requests/write/prepare-insert.ts'
import { always } from '../../../store/condition.ts'
import { versionOf } from '../../../store/row.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { accountInsert } from '../../accounts/create-account.ts'
import { mailContextOf } from '../mail-context.ts'
import { proofWrites } from '../verifications/verification.ts'
import { mayGiveRole } from './create-invitation.ts'
import { findInvitationBySecret, type OpenInvitation } from './invitation-mail.ts'
import { invitationsOf } from './invitations-resource.ts'

/** An invitation that can be accepted, and the values that it gives the account. */
export interface UsableInvitation extends OpenInvitation {
  readonly email: string
  /** Undefined where accounts have no roles. */
  readonly role: string | undefined
  readonly given: ReadonlyMap<FieldModel, JsonValue>
}

/** The invitation with this secret; undefined where it is unknown, used, revoked or expired, or the inviter may not make it any more. */
export async function findUsableInvitation(
  service: ServiceContext,
  secret: string,
): Promise<UsableInvitation | undefined> {
  const { model, store } = service
  const open = await findInvitationBySecret(mailContextOf(service), model, secret)
  const [invitations, { accounts }] = [invitationsOf(model), model]
  if (!open || !invitations || !accounts) return undefined
  const { create } = rightsOf(invitations, open.inviter)
  if (!(await store.satisfies(invitations.name, open.invitation, create))) return undefined
  const email = String(readField(invitations, open.invitation, 'email'))
  const stored = invitations.fieldByName.has('role') && readField(invitations, open.invitation, 'role')
  const role = typeof stored === 'string' ? stored : undefined
  if (role !== undefined && !mayGiveRole(model, open.inviter, role)) return undefined
  const given = new Map<FieldModel, JsonValue>([[accounts.login, email]])
  if (accounts.roles && role !== undefined) {
    given.set(accounts.roles, accounts.roles.kind === 'list' ? [role] : role)
  }
  return { ...open, email, role, given }
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
  const [invitations, identities] = [invitationsOf(service.model), service.model.accountSubjects]
  if (!invitations || !identities) throw new Error('Invitations need accounts')
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
    ...(await proofWrites(context, identities, { account: values, address, at })),
  ]
}
