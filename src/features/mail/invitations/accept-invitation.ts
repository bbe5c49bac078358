/** The acceptance of an invitation: its account and its record are created, and the invitation is deleted. */

import { proofWrite } from '../../../access/bound-account.ts'
import type { FieldModel, JsonValue, Model, ResourceModel, Stored } from '../../../definition/model.ts'
import { BatchStore } from '../../../requests/batch/batch-store.ts'
import { accountsOf, type ServiceContext } from '../../../requests/context/service-context.ts'
import { currentTimestamp } from '../../../requests/write/prepare-insert.ts'
import { always } from '../../../store/condition.ts'
import type { Row } from '../../../store/row.ts'
import { deleteRow, readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { type AccountInsert, accountInsert } from '../../accounts/create-account.ts'
import { linkRefusal } from '../link-document.ts'
import { mailContextOf } from '../mail-context.ts'
import { findInviter, findOpenInvitation, type OpenInvitation } from './invitation-mail.ts'
import { invitationsOf } from './invitations-resource.ts'
import { canCreateRecord, expectedAccount, recordWrites } from './invited-record.ts'

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
  const given = givenValues(model, email, open.role)
  const { record, inviter } = open
  if (record) {
    const context = { service, unit: service, caller: inviter }
    if (!(await canCreateRecord(context, record, await expectedAccount(service, given)))) return undefined
  }
  return { ...open, email, given }
}

/** The values that an invitation gives the account. */
export function givenValues(
  { accounts }: Model,
  email: string,
  role: string | undefined,
): ReadonlyMap<FieldModel, JsonValue> {
  if (!accounts) throw new Error('Invitations need accounts')
  const { login, roles } = accounts
  const given = new Map<FieldModel, JsonValue>([[login, email]])
  if (roles && role !== undefined) given.set(roles, roles.item ? [role] : role)
  return given
}

/** The acceptance of an invitation, by a person who chose these values. */
interface Acceptance {
  readonly open: UsableInvitation
  /** The stored values of the account. */
  readonly fields: readonly Stored[]
}

/**
 * The writes that create the account, use up the link, delete the invitation, record the proof of the address and create
 * the record; refuses 404 where the inviter could not create it now. The store refuses the writes where the link was used
 * or revoked, a value is taken by now, or the inviter has changed.
 */
export async function acceptanceWrites(
  service: ServiceContext,
  requestId: string,
  accepted: Acceptance,
): Promise<readonly Write[]> {
  const { record, invitation } = accepted.open
  const account = await accountWrites(service, requestId, accepted)
  if (!record) return account.writes
  const stored = new BatchStore(service.store, service.model)
  await stored.add(account.writes)
  // The commit repeats the reads of the inviter, so that its rights hold until then.
  const tokens = { ...accountsOf(service).tokens, store: stored.reading }
  const caller = await findInviter(tokens, invitationsIn(service), invitation)
  if (!caller) throw linkRefusal()
  const context = { service, unit: service, requestId, caller }
  const writes = await recordWrites(context, record, { account: account.values, store: stored.writing })
  if (!writes) throw linkRefusal()
  await stored.add(writes)
  return stored.writes
}

async function accountWrites(
  service: ServiceContext,
  requestId: string,
  { open, fields }: Acceptance,
): Promise<AccountInsert> {
  const { mails } = mailContextOf(service).tables
  const { mail, invitation, email: address } = open
  const at = currentTimestamp(service)
  const { values, writes } = await accountInsert(service, requestId, { fields, conditionAfter: always })
  const use: readonly Write[] = [
    updateFields(mails, mail, at, { usedAt: at }),
    deleteRow(invitationsIn(service), invitation, at),
    await proofWrite(accountsOf(service).credentials, values, address),
  ]
  return { values, writes: [...writes, ...use] }
}

function invitationsIn({ model }: Pick<ServiceContext, 'model'>): ResourceModel {
  const invitations = invitationsOf(model)
  if (!invitations) throw new Error('Invitations need accounts')
  return invitations
}
