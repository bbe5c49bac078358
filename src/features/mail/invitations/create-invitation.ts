/** POST /invitations: invites a person by mail. */

import { callerRefusal } from '../../../access/access-refusal.ts'
import { findAccountRow } from '../../../access/basic-scheme.ts'
import { basisOf } from '../../../access/credential-basis.ts'
import { requireRoom } from '../../../access/most-per-account.ts'
import type { Account } from '../../../access/principal.ts'
import { type FieldModel, IDENTITY, type Stored } from '../../../definition/model.ts'
import { refuse } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context/request-context.ts'
import type { CollectionTarget } from '../../../requests/context/target.ts'
import { nestedIn } from '../../../requests/write/create-with-items.ts'
import { membersOf } from '../../../requests/write/draft-from-content.ts'
import { LostRace } from '../../../requests/write/lost-race.ts'
import type { PlannedChange } from '../../../requests/write/planned-change.ts'
import { prepareInsert } from '../../../requests/write/prepare-insert.ts'
import { createdResponse, previewWrite } from '../../../requests/write/written-response.ts'
import { linkMailWrites } from '../linked-mail.ts'
import { countMail, mailContextOf } from '../mail-context.ts'
import { givenValues } from './accept-invitation.ts'
import { mayGiveRole } from './given-role.ts'
import { invitationLifetime } from './invitation-mail.ts'
import { recordName } from './invitations-resource.ts'
import { type CarriedRecord, expectedAccount, requireRecord } from './invited-record.ts'

/** 201; refuses 403 a role that the caller cannot give, 409 the address of an account, 422, and 429 too many mails. */
export async function createInvitation(
  context: RequestContext<CollectionTarget>,
  body: unknown,
): Promise<PlannedChange> {
  const { service, unit, caller, target } = context
  const { resource } = target
  const { model, store, clock } = unit
  if (caller.kind !== 'account') throw callerRefusal(caller)
  const { record, content } = splitContent(context, body)
  const { write } = await prepareInsert(context, { body: content })
  const field = (name: string) => resource.fieldByName.get(name) as FieldModel
  const expiresAt = new Date(clock.now() + invitationLifetime).toISOString()
  const own: readonly Stored[] = write.values
    .with(field('expiresAt').index, expiresAt)
    .with(field('token').index, basisOf(caller))
  const role = resource.fieldByName.get('role')
  const given = role && String(own[role.index])
  if (given !== undefined && !mayGiveRole(model, caller, given)) {
    throw callerRefusal(caller, `Your account may not give the role '${given}'.`)
  }
  const recipient = String(own[field('email').index])
  const values = record
    ? await withRecord({ ...context, caller }, own, { record, recipient, role: given })
    : own
  if (!context.isDryRun) countMail(service, caller, context.address)
  await requireNoAccount(context, recipient)
  await requireRoom(store, { resource, account: caller.identity })
  const invitation = String(values[IDENTITY])
  const mail = { kind: 'invitation', recipient, account: undefined, invitation } as const
  const mails = await linkMailWrites(mailContextOf({ ...unit, parts: service.parts }), {
    ...mail,
    lifetime: invitationLifetime,
  })
  return {
    writes: [{ ...write, values }, ...mails],
    response: createdResponse(context, await previewWrite(context, values)),
    // A concurrent invitation of the same address has taken the place of its mail.
    problemOf: async ({ index }, usual) => (index > 0 ? new LostRace() : usual()),
  }
}

interface InvitationContent {
  readonly record: CarriedRecord | undefined
  /** The other members. */
  readonly content: unknown
}

/** The record that the invitation carries. An older version of the interface that converts its resource has none. */
function splitContent(context: RequestContext<CollectionTarget>, body: unknown): InvitationContent {
  const [relation] = nestedIn(context)
  const { [recordName]: sent, ...content } = membersOf(body)
  if (!relation || sent === undefined) return { record: undefined, content: body }
  return { record: { relation, body: sent, targets: undefined }, content }
}

interface NewInvitation {
  readonly record: CarriedRecord
  readonly recipient: string
  readonly role: string | undefined
}

/** The values with the record; refuses 403, 409 and 422 one that the caller could not create. */
async function withRecord(
  context: RequestContext<CollectionTarget> & { readonly caller: Account },
  values: readonly Stored[],
  { record, recipient, role }: NewInvitation,
): Promise<readonly Stored[]> {
  const { unit, target } = context
  const account = await expectedAccount(unit, givenValues(unit.model, recipient, role))
  const targets = await requireRecord(context, record, account)
  const index = (name: string) => (target.resource.fieldByName.get(name) as FieldModel).index
  return values.with(index(recordName), JSON.stringify(record.body)).with(index('recordTargets'), targets)
}

/** Refuses 409 the address of an account. */
async function requireNoAccount({ unit }: RequestContext, address: string): Promise<void> {
  const { accounts } = unit.model
  if (!accounts || !(await findAccountRow(accounts, unit.store, address))) return
  throw refuse('duplicate', {
    detail: 'There is an account with this address.',
    errors: [{ pointer: '/email', rule: 'unique', detail: 'This value is already taken.' }],
  })
}
