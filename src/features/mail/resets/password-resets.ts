/**
 * /password-resets: asks for a mail with a link to set a new password. The link names /password-resets/{secret}: its
 * page shows a form, and only the POST of the form uses it up.
 */

import { findAccountRow } from '../../../access/basic-scheme.ts'
import { isMailProof, listBindings, proofWrite, stillBound } from '../../../access/bound-account.ts'
import type { CredentialContext } from '../../../access/credentials.ts'
import { hashPassword, passwordChangeHashQueue } from '../../../access/password.ts'
import { anonymous, callerKey } from '../../../access/principal.ts'
import { revokeAll, suspend } from '../../../access/revocation.ts'
import { IDENTITY, type JsonSchema, type Model, type Stored } from '../../../definition/model.ts'
import type { HttpResponse } from '../../../http/message.ts'
import { type ContentFault, invalidContent, refuse, unavailable } from '../../../refusal.ts'
import { accountsOf } from '../../../requests/context/service-context.ts'
import type { Document, DocumentRequest } from '../../../requests/context/target.ts'
import { readPostedMembers, textFaults } from '../../../requests/documents/posted-members.ts'
import { seeOther } from '../../../requests/respond/early-response.ts'
import type { Row } from '../../../store/row.ts'
import { deleteRow, readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { passwordResetsUri, signInUri } from '../../../views/uri.ts'
import { requireEncryption, requireTrustedSender } from '../../sign-in/sign-in.ts'
import { findUsableLink, type MailRequestContext, type OpenLink, queueLinkMail } from '../linked-mail.ts'
import { countMail, mailContextOf } from '../mail-context.ts'
import { mailWrites } from '../mail-record.ts'

const title = 'Set a new password'
const textSchema: JsonSchema = { type: 'string', minLength: 1, maxLength: 1000 }

export const passwordResets: Document = {
  route: '/password-resets',
  name: 'password-resets',
  summary: 'How to set a new password',
  schema: { type: 'object' },
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  parameters: ['sent'],
  posted: {
    summary: 'Ask for a mail with a link to set a new password',
    content: { type: 'object', required: ['login'], properties: { login: textSchema } },
    status: 202,
  },
  loadContent: async () => ({ title }),
  loadContentAndLinks: async ({ service, target }) => ({
    data: { title, isSent: target.query?.includes('sent=') === true },
    hypermedia: { links: [{ target: passwordResetsUri(service.model), rel: 'self' }], actions: [] },
  }),
  respond: async (received) => (received.request.method === 'POST' ? postResetRequest(received) : undefined),
}

export const passwordReset: Document = {
  route: '/password-resets/{secret}',
  name: 'password-reset',
  summary: 'The page of a link to set a new password',
  schema: { type: 'object' },
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  posted: {
    summary: 'Set the new password',
    content: { type: 'object', required: ['password'], properties: { password: textSchema } },
    status: 204,
  },
  async loadContent(service, _caller, secret) {
    await requireReset(mailContextOf(service), secret)
    return { title }
  },
  async respond(received) {
    requireEncryption(received.request)
    return received.request.method === 'POST' ? setPassword(received) : undefined
  },
}

/** The response is the same for known and unknown logins. */
async function postResetRequest(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request } = received
  requireTrustedSender(service.model, request)
  const { members, isForm } = await readPostedMembers(received)
  const faults = textFaults(members, ['login'])
  if (faults.length > 0) throw invalidContent(faults)
  countMail(service, anonymous, request.client.address)
  await requestPasswordReset(mailContextOf(service), String(members.login))
  service.changes.wake()
  if (isForm) return seeOther(`${passwordResetsUri(service.model)}?sent=true`).response
  return { status: 202, fields: { 'Cache-Control': 'no-store' } }
}

/** Attempts when the account is changed at the same time. */
const maxAttempts = 5

async function setPassword(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request, target } = received
  requireTrustedSender(service.model, request)
  const context = mailContextOf(service)
  const { members, isForm } = await readPostedMembers(received)
  await requireReset(context, target.parameter)
  const faults = [...textFaults(members, ['password']), ...passwordFaults(context, members.password)]
  if (faults.length > 0) throw invalidContent(faults.slice(0, 1))
  const { address } = request.client
  const inTurn = passwordChangeHashQueue.turnFor({
    address,
    caller: callerKey({ kind: 'anonymous' }, address),
  })
  const hash = await hashPassword(String(members.password), { cost: service.passwordCost, inTurn })
  const { model } = service
  const { credentials } = accountsOf(service)
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const open = await requireReset(context, target.parameter)
    const actor = { account: String(open.account[IDENTITY]) }
    const writes = await passwordResetWrites(context, { ...open, model, credentials }, hash)
    const written = await service.store.write(writes, { actor, request: request.id })
    if (written.kind === 'refused') continue
    service.changes.wake()
    if (isForm) return seeOther(signInUri(service.model)).response
    return { status: 204, fields: { 'Cache-Control': 'no-store' } }
  }
  throw unavailable('Too many requests are changing this account at once.')
}

/** Refuses 404 a link that is unknown, used or expired, all with the same response. */
async function requireReset(context: MailRequestContext, secret: string | undefined): Promise<OpenLink> {
  const open = secret === undefined ? undefined : await findPasswordReset(context, secret)
  if (open) return open
  throw refuse('not-found', { detail: 'This link is not valid any more. Ask for a new one.' })
}

/** The faults of a password by the definition. */
function passwordFaults({ tables }: MailRequestContext, value: unknown): readonly ContentFault[] {
  const { resource, password } = tables.accounts
  if (typeof value !== 'string') return []
  return resource.validate({ [password.name]: value }).map((fault) => ({ ...fault, pointer: '/password' }))
}

/** Records a mail to the login, whether or not there is an account. */
async function requestPasswordReset(context: MailRequestContext, login: string): Promise<void> {
  const { accounts } = context.tables
  const recipient = String(accounts.login.encode(login) ?? login)
  const account = await findAccountRow(accounts, context.store, login)
  await queueLinkMail(context, { kind: 'passwordReset', recipient, account })
}

/** The reset with this secret; undefined where it cannot be used, or the account has another login by now. */
async function findPasswordReset(context: MailRequestContext, secret: string): Promise<OpenLink | undefined> {
  const { mails, accounts } = context.tables
  const open = await findUsableLink(context, 'passwordReset', secret)
  if (!open) return undefined
  return open.account[accounts.login.index] === readField(mails, open.mail, 'recipient') ? open : undefined
}

/** A reset that can be used, and the tables of what the account is bound to. */
interface PasswordResetTarget extends OpenLink {
  readonly model: Model
  readonly credentials: CredentialContext
}

/**
 * The writes that set the password, use up the link, record the proof of the address and send a notice. The store refuses
 * them where either row has changed, so that a link works once. The new hash ends all sessions, tokens and other resets.
 * Subjects of providers that do not prove the address are removed: another person may have bound them. Where strangers can
 * choose logins and nothing had proven this one, another person may have made the account: all that it has handed out is
 * removed. Otherwise its webhooks stop until the owner activates them, and its invitations are revoked.
 */
async function passwordResetWrites(
  context: MailRequestContext,
  { model, mail, account, credentials }: PasswordResetTarget,
  passwordHash: string,
): Promise<readonly Write[]> {
  const { tables, store, now } = context
  const { accounts, mails } = tables
  const at = new Date(now()).toISOString()
  const changed: Readonly<Record<string, Stored>> = { [accounts.password.name]: passwordHash }
  const recipient = String(account[accounts.login.index])
  const identity = String(account[IDENTITY])
  const { resource } = credentials
  const bindings = await listBindings(credentials, identity)
  const proven = bindings.filter((row) => readField(resource, row, 'provenLogin') === recipient)
  const foreign = bindings.filter((row) => !proven.includes(row) && !isMailProof(resource, row))
  const isUnproven = accounts.selfChosenLogins && proven.length === 0
  const revoked = isUnproven ? await revokeAll({ model, store }, identity, at) : []
  return [
    stillBound(credentials, identity, bindings),
    ...(isUnproven
      ? revoked.filter((write) => !isOf(mail, write))
      : await suspend({ model, store }, identity, at)),
    ...foreign.map((row) => deleteRow(resource, row, at)),
    updateFields(mails, mail, at, { usedAt: at }),
    updateFields(accounts.resource, account, at, changed),
    await proofWrite(credentials, account, recipient),
    ...mailWrites(tables, { kind: 'passwordChanged', recipient, account }, now()),
  ]
}

function isOf(row: Row, write: Write): boolean {
  return write.kind === 'delete' && write.identity === row[IDENTITY]
}
