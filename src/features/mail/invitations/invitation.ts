/**
 * /invitations/{secret}: the page of the link in an invitation. GET uses nothing up; the POST of its form creates the
 * account with the role of the invitation and the password that the person chooses.
 */

import { actorOf } from '../../../access/actor.ts'
import { hashPassword, passwordChangeHashQueue } from '../../../access/password.ts'
import { anonymous, callerKey } from '../../../access/principal.ts'
import type { AccountsModel, Stored } from '../../../definition/model.ts'
import type { HttpResponse } from '../../../http/message.ts'
import { type ContentFault, invalidContent, type Refusal, refuse, unavailable } from '../../../refusal.ts'
import type { ServiceContext } from '../../../requests/context/service-context.ts'
import type { Document, DocumentRequest } from '../../../requests/context/target.ts'
import { type PostedMembers, readPostedMembers } from '../../../requests/documents/posted-members.ts'
import { seeOther } from '../../../requests/respond/early-response.ts'
import type { ContentMembers } from '../../../requests/write/draft-from-content.ts'
import type { WriteRefusal } from '../../../store/write.ts'
import { signInUri } from '../../../views/uri.ts'
import { encodeAccount } from '../../accounts/create-account.ts'
import { requireEncryption, requireTrustedSender } from '../../sign-in/sign-in.ts'
import { linkRefusal } from '../sign-up/complete-sign-up.ts'
import { acceptanceWrites, findUsableInvitation, type UsableInvitation } from './accept-invitation.ts'

export const invitation: Document = {
  route: '/invitations/{secret}',
  name: 'invitation',
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  async loadContent(service, _caller, secret) {
    const { email, role } = await requireInvitation(service, secret)
    return { title: 'Accept the invitation', email, ...(role !== undefined && { role }) }
  },
  async respond(received) {
    requireEncryption(received.request)
    return received.request.method === 'POST' ? accept(received) : undefined
  },
}

/** Attempts when rows that hooks have read change at the same time. */
const maxAttempts = 5

/** 204, or 303 for a form; refuses 404, 409 and 422. */
async function accept(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request, target } = received
  const { model, store } = service
  requireTrustedSender(model, request)
  const { accounts } = model
  if (!accounts) throw linkRefusal()
  const { members, isForm } = await readPostedMembers(received, accounts.resource)
  const fields = await acceptedFields(received, accounts, members)
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const open = await requireInvitation(service, target.parameter)
    const writes = await acceptanceWrites(service, request.id, { open, fields })
    const written = await store.write(writes, { actor: actorOf(anonymous), request: request.id })
    if (written.kind === 'done') {
      service.changes.wake()
      if (isForm) return seeOther(signInUri(model)).response
      return { status: 204, fields: { 'Cache-Control': 'no-store' } }
    }
    if (written.reason.kind !== 'stale') throw toRefusal(accounts, written.reason)
  }
  throw unavailable('Too many requests are creating accounts at once.')
}

/** The stored values of the account, with the hashed password; refuses 404 and 422. */
async function acceptedFields(
  { service, request, target }: DocumentRequest,
  accounts: AccountsModel,
  { password, ...members }: PostedMembers['members'],
): Promise<readonly Stored[]> {
  const { given } = await requireInvitation(service, target.parameter)
  if (typeof password !== 'string' || password === '') throw invalidContent([missingPassword])
  // Values were parsed from JSON or from a form.
  const sent = { ...members, [accounts.password.name]: password } as ContentMembers
  const fields = await encodeAccount(service, accounts, { sent, given })
  const { address } = request.client
  const requester = { address, caller: callerKey(anonymous, address) }
  const hash = await hashPassword(password, {
    cost: service.passwordCost,
    inTurn: passwordChangeHashQueue.turnFor(requester),
  })
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

/** Refuses 404 a link that is unknown, used, revoked or expired, all with the same response. */
async function requireInvitation(
  service: ServiceContext,
  secret: string | undefined,
): Promise<UsableInvitation> {
  const open = secret === undefined ? undefined : await findUsableInvitation(service, secret)
  if (open) return open
  throw linkRefusal()
}
