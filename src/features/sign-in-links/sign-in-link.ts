/**
 * /sign-in-links/{secret}: the page of a link to sign in, which the browser shows that asked for it. Only the POST of its
 * button uses it up. An account that another person may have made is treated as by a verification: its password is asked
 * for, and where it has none, all that it has handed out is removed.
 */

import { requireRoomForToken } from '../../access/account-tokens.ts'
import { accountFromRow, findAccount } from '../../access/basic-scheme.ts'
import { proofWrite } from '../../access/bound-account.ts'
import { createHashOfNone, isPasswordHash } from '../../access/password.ts'
import { createInputModel } from '../../definition/input-model.ts'
import { IDENTITY } from '../../definition/model.ts'
import { passwordField } from '../../definition/sign-in-fields.ts'
import type { HttpResponse } from '../../http/message.ts'
import { refuse } from '../../refusal.ts'
import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import type { DocumentRequest, FormSubmission, LeadingForm } from '../../requests/context/target.ts'
import { seeOther } from '../../requests/respond/early-response.ts'
import { all, equals } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { readField, updateFields } from '../../store/row-fields.ts'
import type { RequireRow, Write } from '../../store/write.ts'
import { homeUri, signInLinksUri } from '../../views/uri.ts'
import { createLink, linkDocument, linkRefusal, requireAccountPassword } from '../mail/link-document.ts'
import { findAccountLink, type OpenLink } from '../mail/linked-mail.ts'
import { findLoginProof, type LoginProof, ownershipWrites } from '../mail/login-proof.ts'
import { mailContextOf } from '../mail/mail-context.ts'
import { finishFirstFactor } from '../sign-in/session.ts'
import { requireOwnSender } from '../sign-in/sign-in.ts'
import { awaitedLink } from './link-browser.ts'

interface OpenSignInLink extends OpenLink {
  readonly proof: LoginProof
  /** Whether the password is asked for too: the address alone could lead to an account of another person. */
  readonly needsPassword: boolean
}

const link = createLink<OpenSignInLink, void>({
  find: findOpenLink,
  show: ({ needsPassword }) => ({ data: { needsPassword }, asked: needsPassword ? ['password'] : [] }),
  respondElsewhere,
  async check(sent, open) {
    const { accounts } = mailContextOf(sent.service).tables
    const { account, needsPassword } = open
    if (needsPassword) await requireAccountPassword(sent, account)
    const owner = accountFromRow(accounts, account)
    // A session that is refused would have used up the link.
    if (owner && !endsAllTokens(open)) await requireRoomForToken(accountsOf(sent.service).tokens, owner)
  },
  write: ({ service }, open) => signInWrites(service, open),
  actorOf: ({ account }) => ({ account: String(account[IDENTITY]) }),
  finish,
})

export const signInLink = linkDocument({
  route: '/sign-in-links/{secret}',
  name: 'sign-in-link',
  heading: 'Sign in by a link',
  title: 'Sign in',
  status: 303,
  authenticates: false,
  autocomplete: { password: 'current-password' },
  input: () => createInputModel('signInLink', [passwordField]),
  links: { signIn: link },
})

/** The link of the mail; undefined where it was used or has expired, or the account has another login or password. */
async function findOpenLink(service: ServiceContext, mail: Row): Promise<OpenSignInLink | undefined> {
  const context = mailContextOf(service)
  const { mails, accounts } = context.tables
  const open = await findAccountLink(context, mail)
  if (open?.account[accounts.login.index] !== readField(mails, mail, 'recipient')) return undefined
  const proof = await findLoginProof(service, open.account)
  const needsPassword = proof.isMissing && isPasswordHash(open.account[accounts.password.index])
  return { ...open, proof, needsPassword }
}

/** Leads another browser than the one that asked for the link last to a page that says what to do; refuses 403 its use. */
function respondElsewhere({ service, request }: DocumentRequest, mail: Row): HttpResponse | undefined {
  if (request.method === 'POST') requireOwnSender(request)
  if (awaitedLink.find(request, service.encryption)?.mail === mail[IDENTITY]) return undefined
  const uri = signInLinksUri(service.model)
  if (request.method !== 'POST') return seeOther(`${uri}?elsewhere=true`).response
  throw refuse('forbidden', {
    detail: `This link works only in the browser in which you asked for it last. Open it there, or ask for a new one at ${uri}.`,
  })
}

/** Whether nothing has proven the address, so that the use removes all that the account has handed out. */
function endsAllTokens({ proof, needsPassword }: OpenSignInLink): boolean {
  return proof.isMissing && !needsPassword
}

/** The writes that use up the link and record the proof of the address. The store refuses them where a row has changed. */
async function signInWrites(service: ServiceContext, open: OpenSignInLink): Promise<readonly Write[]> {
  const { mail, account, proof } = open
  const { tables, now } = mailContextOf(service)
  const { mails, accounts } = tables
  const at = new Date(now()).toISOString()
  const used = updateFields(mails, mail, at, { usedAt: at })
  if (!endsAllTokens(open)) {
    const login = String(account[accounts.login.index])
    return [used, await proofWrite(accountsOf(service).credentials, account, login)]
  }
  // Another hash of none ends sessions that begin at the same time.
  const changed = { [accounts.password.name]: createHashOfNone() }
  const ownership = await ownershipWrites(service, { mail, account }, proof)
  return [used, updateFields(accounts.resource, account, at, changed), ...ownership]
}

/** Leads on with a session, or to the second step. */
async function finish(
  { service, request }: FormSubmission,
  { mail, account: used }: OpenSignInLink,
): Promise<LeadingForm> {
  const { store, encryption } = service
  const { accounts, mails } = mailContextOf(service).tables
  const { resource, login } = accounts
  const identity = String(used[IDENTITY])
  const found = await findAccount(accounts, store, identity)
  if (!found) throw linkRefusal()
  const address = String(readField(mails, mail, 'recipient'))
  const condition = all([equals(['_identity'], identity), equals([login.name], address)])
  const guard: RequireRow = { kind: 'require', table: resource.name, condition }
  const next = awaitedLink.find(request, encryption)?.next ?? homeUri(service.model)
  const leading = await finishFirstFactor(service, request, { account: found.account, guard }, next)
  const cookies = [leading.fields?.['Set-Cookie'] ?? [], awaitedLink.formatExpired(request.client)].flat()
  return { next: leading.next, fields: { 'Set-Cookie': cookies } }
}
