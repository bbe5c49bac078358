/** The acceptance of an invitation: its account and its record are created, and the invitation is deleted. */

import { proofWrite } from '../../../access/bound-account.ts'
import { rightsOf } from '../../../access/rights.ts'
import type { FieldModel, JsonValue, Model, ResourceModel, Stored } from '../../../definition/model.ts'
import { BatchStore } from '../../../requests/batch/batch-store.ts'
import { accountsOf, type ServiceContext } from '../../../requests/context/service-context.ts'
import { currentTimestamp } from '../../../requests/write/prepare-insert.ts'
import { always } from '../../../store/condition.ts'
import type { Row } from '../../../store/row.ts'
import { deleteRow, readField, updateFields } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import type { Write } from '../../../store/write.ts'
import { type AccountInsert, accountInsert } from '../../accounts/create-account.ts'
import { linkRefusal } from '../link-document.ts'
import { mailContextOf } from '../mail-context.ts'
import { findOpenInvitation, type InvitationContext, type OpenInvitation } from './invitation-mail.ts'
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
  const open = await findOpenInvitation(openContext(service, store), mail)
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
 * the record; refuses 404 where the inviter could not invite or create it now. The store refuses the writes where the
 * link was used or revoked, a value is taken by now, or the inviter has changed.
 */
export async function acceptanceWrites(
  service: ServiceContext,
  requestId: string,
  { open: { mail, email }, fields }: Acceptance,
): Promise<readonly Write[]> {
  const at = currentTimestamp(service)
  const account = await accountInsert(service, requestId, { fields, conditionAfter: always })
  const stored = new BatchStore(service.store, service.model)
  // The hooks of the account take their time. The commit repeats these reads, so that the rights hold until then.
  const open = await findOpenInvitation(openContext(service, stored.reading), mail)
  if (!open) throw linkRefusal()
  await stored.add([...account.writes, ...(await useWrites(service, open, { email, account, at }))])
  const { record, inviter: caller } = open
  if (!record) return stored.writes
  const context = { service, unit: service, requestId, caller }
  const writes = await recordWrites(context, record, { account: account.values, store: stored.writing })
  if (!writes) throw linkRefusal()
  await stored.add(writes)
  return stored.writes
}

interface LinkUse {
  readonly email: string
  readonly account: AccountInsert
  readonly at: string
}

/** The writes that use up the link, delete the invitation and record the proof of the address. */
async function useWrites(
  service: ServiceContext,
  { mail, invitation, inviter }: OpenInvitation,
  { email, account, at }: LinkUse,
): Promise<readonly Write[]> {
  const { mails } = mailContextOf(service).tables
  const invitations = invitationsIn(service)
  const { create: mayInvite } = rightsOf(invitations, inviter)
  return [
    updateFields(mails, mail, at, { usedAt: at }),
    { ...deleteRow(invitations, invitation, at), conditionBefore: mayInvite },
    await proofWrite(accountsOf(service).credentials, account.values, email),
  ]
}

function openContext(service: ServiceContext, store: Store): InvitationContext {
  const { tables, now } = mailContextOf(service)
  const { tokens } = accountsOf(service)
  return { model: service.model, store, tables, tokens: { ...tokens, store }, now }
}

function invitationsIn({ model }: Pick<ServiceContext, 'model'>): ResourceModel {
  const invitations = invitationsOf(model)
  if (!invitations) throw new Error('Invitations need accounts')
  return invitations
}
