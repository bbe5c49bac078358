/** Invitations: a link in a mail to a person without an account, who chooses the password of a new one. */

import type { TokenContext } from '../../../access/account-tokens.ts'
import { findBasisAccount } from '../../../access/credential-basis.ts'
import type { Account } from '../../../access/principal.ts'
import { rightsOf } from '../../../access/rights.ts'
import type { Model, ResourceModel, Stored } from '../../../definition/model.ts'
import type { Row } from '../../../store/row.ts'
import { readField } from '../../../store/row-fields.ts'
import type { Store } from '../../../store/store.ts'
import { isMailOpen, type MailTables } from '../mail-record.ts'
import { mayGiveRole } from './given-role.ts'
import { invitationsOf } from './invitations-resource.ts'
import { type CarriedRecord, mayCreateRecord, readRecord } from './invited-record.ts'

/** Milliseconds that the link of an invitation is good for. */
export const invitationLifetime = 7 * 86_400_000

export interface InvitationContext {
  readonly model: Model
  readonly store: Store
  readonly tables: MailTables
  readonly tokens: TokenContext
  readonly now: () => number
}

/** An invitation whose link can be used. */
export interface OpenInvitation {
  readonly mail: Row
  readonly invitation: Row
  /** Undefined where accounts have no roles. */
  readonly role: string | undefined
  /** The account, with the rights of the token that made the invitation. */
  readonly inviter: Account
  readonly record: CarriedRecord | undefined
}

/**
 * The invitation that the mail is about; undefined where it was used or revoked or has expired, or where the account or
 * token that made it could not make it now.
 */
export async function findOpenInvitation(
  context: InvitationContext,
  mail: Row,
): Promise<OpenInvitation | undefined> {
  const { model, store, tables, tokens, now } = context
  const [invitations, { mails }] = [invitationsOf(model), tables]
  const value = readField(mails, mail, 'invitation')
  if (!invitations || value === null || !isMailOpen(mails, mail, now())) return undefined
  const lookup = { table: invitations.name, column: '_identity', value, evaluated: [] }
  const invitation = await store.find(lookup)
  if (!invitation) return undefined
  const inviter = await findInviter(tokens, invitations, invitation)
  const hasRole = invitations.fieldByName.has('role')
  const role = hasRole ? textOf(readField(invitations, invitation, 'role')) : undefined
  if (!inviter || (role !== undefined && !mayGiveRole(model, inviter, role))) return undefined
  const record = readRecord(invitations, invitation)
  if (record && !mayCreateRecord(record, inviter)) return undefined
  if (!(await mayInvite(store, invitations, inviter, invitation))) return undefined
  return { mail, invitation, role, inviter, record }
}

/** The account that made the invitation, with the rights that it could use now; undefined where it has none. */
async function findInviter(
  tokens: TokenContext,
  invitations: ResourceModel,
  invitation: Row,
): Promise<Account | undefined> {
  const read = (name: string) => textOf(readField(invitations, invitation, name))
  return findBasisAccount(tokens, read('invitedBy') ?? '', read('token'))
}

function mayInvite(store: Store, invitations: ResourceModel, inviter: Account, invitation: Row) {
  return store.satisfies(invitations.name, invitation, rightsOf(invitations, inviter).create)
}

function textOf(stored: Stored): string | undefined {
  return stored === null ? undefined : String(stored)
}
