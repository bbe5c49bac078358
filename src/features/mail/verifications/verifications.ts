/**
 * /verifications: asks for a mail with a link that proves an address. A signed-in person asks for another address, which
 * becomes the login of the account when the link is used. The link names /verifications/{secret}; GET uses nothing up.
 */

import { endOtherSessions } from '../../../access/account-tokens.ts'
import { authenticate } from '../../../access/authenticate.ts'
import { findAccountRow } from '../../../access/basic-scheme.ts'
import { type Account, mayChangeCredentials, type Principal } from '../../../access/principal.ts'
import { IDENTITY, type JsonSchema } from '../../../definition/model.ts'
import type { HttpResponse } from '../../../http/message.ts'
import { invalidContent, refuse, unavailable } from '../../../refusal.ts'
import { accountsOf } from '../../../requests/context/service-context.ts'
import type { Document, DocumentRequest } from '../../../requests/context/target.ts'
import { readPostedMembers, textFaults } from '../../../requests/documents/posted-members.ts'
import {
  type PasswordOwner,
  requireOwnProof,
  requirePassword,
} from '../../../requests/documents/posted-password.ts'
import { seeOther } from '../../../requests/respond/early-response.ts'
import type { Row } from '../../../store/row.ts'
import { readField } from '../../../store/row-fields.ts'
import { homeUri, signInUri, verificationsUri } from '../../../views/uri.ts'
import { requireEncryption, requireTrustedSender } from '../../sign-in/sign-in.ts'
import { findUsableLink, type MailRequestContext, type OpenLink } from '../linked-mail.ts'
import { countMail, mailContextOf } from '../mail-context.ts'
import { completeSignUp, linkRefusal } from '../sign-up/complete-sign-up.ts'
import { findOpenSignUp } from '../sign-up/sign-up-mail.ts'
import { queueVerificationMail, requestLoginChange, verificationWrites } from './verification.ts'

const title = 'Confirm an address'
const textSchema: JsonSchema = { type: 'string', minLength: 1, maxLength: 1000 }

export const verifications: Document = {
  route: '/verifications',
  name: 'verifications',
  summary: 'How to confirm an address',
  schema: { type: 'object' },
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  parameters: ['sent'],
  posted: {
    summary: 'Ask for a mail with a link that proves an address',
    content: {
      type: 'object',
      required: ['login'],
      properties: { login: textSchema, currentPassword: textSchema },
    },
    status: 202,
  },
  loadContent: async () => ({ title }),
  loadContentAndLinks: async ({ service, target }) => ({
    data: { title, isSent: target.query?.includes('sent=') === true },
    hypermedia: { links: [{ target: verificationsUri(service.model), rel: 'self' }], actions: [] },
  }),
  respond: async (received) =>
    received.request.method === 'POST' ? postVerificationRequest(received) : undefined,
}

export const verification: Document = {
  route: '/verifications/{secret}',
  name: 'verification',
  summary: 'The page of a link that proves an address',
  schema: { type: 'object' },
  personal: true,
  cache: 'no-store',
  operations: 'postedDocument',
  posted: {
    summary: 'Confirm the address',
    content: { type: 'object', properties: { password: textSchema } },
    status: 204,
  },
  async loadContent(service, caller, secret) {
    const context = mailContextOf(service)
    if (await findOpenSignUp(context, secret ?? '')) return { title, needsPassword: true, isSignUp: true }
    const open = await requireLink(context, secret)
    return { title, needsPassword: !isOwnSession(caller, open.account) }
  },
  async respond(received) {
    requireEncryption(received.request)
    return received.request.method === 'POST' ? confirm(received) : undefined
  },
}

async function postVerificationRequest(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request } = received
  requireTrustedSender(service.model, request)
  const caller = await authenticate(service.schemes, request)
  const { members, isForm } = await readPostedMembers(received)
  const faults = textFaults(members, ['login'], ['currentPassword'])
  if (faults.length > 0) throw invalidContent(faults)
  countMail(service, caller, request.client.address)
  const context = mailContextOf(service)
  const login = String(members.login)
  const account = caller.kind === 'account' ? await findRow(context, caller) : undefined
  const { accounts } = context.tables
  const isOther = account && account[accounts.login.index] !== accounts.login.encode(login)
  if (isOther) {
    await requireProof(received, caller, members.currentPassword)
    await requestLoginChange(context, account, validLogin(context, login))
  } else await queueVerificationMail(context, login)
  service.changes.wake()
  if (isForm) return seeOther(`${verificationsUri(service.model)}?sent=true`).response
  return { status: 202, fields: { 'Cache-Control': 'no-store' } }
}

/** Refuses 422 a login that the definition does not permit. */
function validLogin({ tables }: MailRequestContext, value: string): string {
  const { resource, login } = tables.accounts
  const faults = resource.validate({ [login.name]: value })
  if (faults.length > 0) throw invalidContent(faults.map((fault) => ({ ...fault, pointer: '/login' })))
  return value
}

/** Refuses 403 a token or JWT, and what `requireOwnProof` refuses. */
async function requireProof(received: DocumentRequest, caller: Principal, currentPassword: unknown) {
  if (caller.kind !== 'account' || !mayChangeCredentials(caller)) {
    throw refuse('forbidden', {
      detail:
        'A token or a JWT cannot change the login of its own account. Use Basic, or sign in on the HTML pages.',
    })
  }
  await requireOwnProof(received, caller, currentPassword)
}

/** Attempts when the account is changed at the same time. */
const maxAttempts = 5

async function confirm(received: DocumentRequest): Promise<HttpResponse> {
  const { service, request, target } = received
  requireTrustedSender(service.model, request)
  const context = mailContextOf(service)
  const caller = await authenticate(service.schemes, request)
  const { members, isForm } = await readPostedMembers(received)
  const signUp = await findOpenSignUp(context, target.parameter ?? '')
  const open = signUp ? undefined : await requireLink(context, target.parameter)
  const faults = textFaults(members, [], ['password'])
  if (faults.length > 0) throw invalidContent(faults)
  const noContent = { status: 204, fields: { 'Cache-Control': 'no-store' } }
  if (signUp) {
    await completeSignUp(received, signUp, members.password)
    return isForm ? seeOther(signInUri(service.model)).response : noContent
  }
  if (open && !isOwnSession(caller, open.account)) {
    const sent = { name: 'password', value: members.password }
    await requirePassword(received, passwordOwner(context, open.account), sent)
  }
  await writeProof(received, context, caller)
  return isForm ? seeOther(homeUri(service.model)).response : noContent
}

function passwordOwner({ tables }: MailRequestContext, account: Row): PasswordOwner {
  const { login, password } = tables.accounts
  return { login: String(account[login.index]), hash: String(account[password.index]) }
}

/** Writes the proof. A new login ends the other sessions of the account. */
async function writeProof(
  { service, request, target }: DocumentRequest,
  context: MailRequestContext,
  caller: Principal,
): Promise<void> {
  const { tokens, credentials } = accountsOf(service)
  const { accounts, mails } = context.tables
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const open = await requireLink(context, target.parameter)
    const actor = { account: String(open.account[IDENTITY]) }
    const { account, mail } = open
    const isNewLogin = account[accounts.login.index] !== readField(mails, mail, 'recipient')
    const ended = isNewLogin ? await endOtherSessions(tokens, actor.account, caller) : []
    const writes = [...(await verificationWrites(context, credentials, open)), ...ended]
    const written = await service.store.write(writes, { actor, request: request.id })
    if (written.kind === 'done') return service.changes.wake()
    if (await isTaken(context, open)) throw linkRefusal()
  }
  throw unavailable('Too many requests are changing this account at once.')
}

/** Whether another account has taken the address since the mail was sent. */
async function isTaken({ tables, store }: MailRequestContext, { mail, account }: OpenLink): Promise<boolean> {
  const { accounts, mails } = tables
  const holder = await findAccountRow(accounts, store, String(readField(mails, mail, 'recipient')))
  return holder !== undefined && holder[IDENTITY] !== account[IDENTITY]
}

function isOwnSession(caller: Principal, account: Row): boolean {
  return caller.kind === 'account' && caller.identity === account[IDENTITY] && mayChangeCredentials(caller)
}

async function findRow(
  { tables, store }: MailRequestContext,
  { identity }: Account,
): Promise<Row | undefined> {
  const { name: table } = tables.accounts.resource
  return store.find({ table, column: '_identity', value: identity, evaluated: [] })
}

/** Refuses 404 a link that is unknown, used or expired, all with the same response. */
async function requireLink(context: MailRequestContext, secret: string | undefined): Promise<OpenLink> {
  const open = secret === undefined ? undefined : await findUsableLink(context, 'verification', secret)
  if (open) return open
  throw linkRefusal()
}
