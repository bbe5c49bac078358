/**
 * Sign-up by mail. A POST to the accounts sends a mail with a link, and gets the same response for free and taken
 * addresses after the same work. The account comes into being when the link is used with the password that was chosen:
 * so neither a person who knows only an address nor the owner of the address alone can make an account.
 */

import { callerRefusal, hasAdminRole } from '../../../access/access-refusal.ts'
import { findAccountRow } from '../../../access/basic-scheme.ts'
import { proofWrite } from '../../../access/bound-account.ts'
import { actorOf, anonymous } from '../../../access/principal.ts'
import { rightsOf } from '../../../access/rights.ts'
import type { ResourceModel, Stored } from '../../../definition/model.ts'
import { invalidContent } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context/request-context.ts'
import { accountsOf, type ServiceContext, type Unit } from '../../../requests/context/service-context.ts'
import type { CollectionTarget, ItemTarget } from '../../../requests/context/target.ts'
import { requirePassword } from '../../../requests/documents/posted-password.ts'
import { type CurrentState, parentOf } from '../../../requests/read/current-state.ts'
import type { RecordDraft } from '../../../requests/write/draft-builder.ts'
import { LostRace } from '../../../requests/write/lost-race.ts'
import type { PlannedChange } from '../../../requests/write/planned-change.ts'
import {
  currentTimestamp,
  hashInsertPasswords,
  prepareInsert,
} from '../../../requests/write/prepare-insert.ts'
import { requireNoConflicts } from '../../../requests/write/unique-values.ts'
import { expectUnchanged } from '../../../requests/write/write-item.ts'
import type { Row } from '../../../store/row.ts'
import { readField, updateFields } from '../../../store/row-fields.ts'
import type { Write } from '../../../store/write.ts'
import { signInUri, verificationsUri } from '../../../views/uri.ts'
import { accountInsert } from '../../accounts/create-account.ts'
import { createLink, linkRefusal } from '../link-document.ts'
import { linkMailWrites, type MailRequestContext, type RequestedMail } from '../linked-mail.ts'
import { countMail, mailContextOf } from '../mail-context.ts'
import { isMailOpen } from '../mail-record.ts'

/** Refuses 403: the response to a request for an account must not depend on whether the address is taken. */
export function requireCreatableAtUri(context: RequestContext<ItemTarget>): void {
  if (isSignUpByMail(context)) throw callerRefusal(context.caller, 'Sign up with a POST to the collection.')
}

/** Whether an account that the caller creates comes into being by mail. Administrators vouch for the addresses they enter. */
function isSignUpByMail({ service, caller, target }: RequestContext<CollectionTarget | ItemTarget>): boolean {
  const { accounts } = service.model
  if (!accounts?.signsUpByMail || target.resource !== accounts.resource) return false
  return !hasAdminRole(service.model, caller)
}

/**
 * 202; refuses 403, 409, 422 and 429, none of them because the address is taken. Undefined where the account is created
 * at once.
 */
export async function requestSignUp(
  context: RequestContext<CollectionTarget>,
  body: unknown,
  current: CurrentState,
): Promise<PlannedChange | undefined> {
  if (!isSignUpByMail(context)) return undefined
  const { service, unit } = context
  // A person who is signed in signs up like any other: the link is used without its rights.
  const person = { ...context, caller: anonymous }
  const insert = await prepareInsert(person, { body, parent: parentOf(current) })
  requireNoFiles(insert.draft)
  if (!context.isDryRun) countMail(service, context.caller, context.address)
  const mail = mailContextOf({ ...unit, parts: service.parts })
  const { accounts } = mail.tables
  await requireNoConflicts(person, { ...insert.write, untold: accounts.login })
  const { values } = await hashInsertPasswords(person, insert)
  const writes = await linkMailWrites(mail, await signUpMail(unit, accounts.resource, values))
  const seeOther = `${verificationsUri(service.model)}?sent=true`
  return {
    writes: [...writes, ...expectUnchanged(current)],
    response: { status: 202, view: undefined, links: [], fields: {}, seeOther },
    // A concurrent sign-up with the same address has taken the place of its mail.
    problemOf: async () => new LostRace(),
  }
}

/** The content of a file would be deleted before the link is used. */
function requireNoFiles({ values }: RecordDraft): void {
  const faults = [...values]
    .filter(([{ file }, value]) => file !== undefined && value !== undefined)
    .map(([{ name }]) => ({
      pointer: `/${name}`,
      rule: 'readOnly',
      detail: 'Add this file after you have signed up.',
    }))
  if (faults.length > 0) throw invalidContent(faults)
}

/** The mail with the link; to the owner of a taken address, a notice that is stored with the same values. */
async function signUpMail(
  { model, store }: Unit,
  resource: ResourceModel,
  values: readonly Stored[],
): Promise<RequestedMail> {
  const { accounts } = model
  if (!accounts) throw new Error('A sign-up needs accounts')
  const recipient = String(values[accounts.login.index])
  const account = await findAccountRow(accounts, store, recipient)
  const newAccount = formatNewAccount(resource, values)
  return { kind: account ? 'signUpRepeated' : 'signUp', countedAs: 'signUp', recipient, account, newAccount }
}

/** Creates the account. It takes the password that was chosen, and ends where the address is taken. */
export const signUpLink = createLink<OpenSignUp, void>({
  find: (service, mail) => findOpenSignUp(mailContextOf(service), mail),
  show: () => ({ data: { needsPassword: true, isSignUp: true }, asked: ['password'] }),
  async check(sent, { mail, fields }) {
    const { mails, accounts } = mailContextOf(sent.service).tables
    const login = String(readField(mails, mail, 'recipient'))
    const hash = String(fields[accounts.resource.fields.indexOf(accounts.password)])
    await requirePassword(sent, { login, hash }, { name: 'password', value: sent.members.password })
  },
  write: ({ service, request }, open) => signUpWrites(service, request.id, open),
  actorOf: () => actorOf(anonymous),
  refusalOf: (_service, _open, { reason }) => (reason.kind === 'stale' ? undefined : linkRefusal()),
  finish: ({ service }) => ({ next: signInUri(service.model) }),
})

/**
 * The writes that create the account, use up the link and record the proof of the address, after the hooks of the
 * definition. The store refuses them where the link was used, or a value is taken by now.
 */
async function signUpWrites(
  service: ServiceContext,
  requestId: string,
  { mail, fields }: OpenSignUp,
): Promise<readonly Write[]> {
  const context = mailContextOf(service)
  const { accounts, mails } = context.tables
  const { create: conditionAfter } = rightsOf(accounts.resource, anonymous)
  const at = currentTimestamp(service)
  const { values, writes } = await accountInsert(service, requestId, { fields, conditionAfter })
  const { credentials } = accountsOf(service)
  return [
    ...writes,
    updateFields(mails, mail, at, { usedAt: at, newAccount: null }),
    await proofWrite(credentials, values, String(readField(mails, mail, 'recipient'))),
  ]
}

/** The stored values of a new account as JSON, by field. */
export function formatNewAccount({ fields }: ResourceModel, values: readonly Stored[]): string {
  const stored = fields.map(({ name, index }) => [name, values[index] ?? null] as const)
  return JSON.stringify(Object.fromEntries(stored), (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

/** A sign-up whose link can be used: the row of its mail, and the values of the fields in column order. */
export interface OpenSignUp {
  readonly mail: Row
  readonly fields: readonly Stored[]
}

/** The sign-up of the mail; undefined where it was used or has expired, or the definition has other fields by now. */
export async function findOpenSignUp(
  { tables, now }: MailRequestContext,
  mail: Row,
): Promise<OpenSignUp | undefined> {
  const { mails, accounts } = tables
  if (!isMailOpen(mails, mail, now())) return undefined
  // Written by `formatNewAccount`.
  const stored = JSON.parse(String(readField(mails, mail, 'newAccount'))) as Readonly<Record<string, Stored>>
  const fields = accounts.resource.fields.map(({ name }) => stored[name] ?? null)
  const isComplete = accounts.resource.fields.every(({ required }, at) => !required || fields[at] !== null)
  return isComplete ? { mail, fields } : undefined
}
