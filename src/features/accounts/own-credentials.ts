/**
 * Changes of the caller's own password or login. They need the current password, or a sign-in with a provider of the
 * last five minutes, and a caller with Basic or a session of the HTML pages. Tokens and JWTs do not suffice.
 */

import { endOtherSessions, rebindSessionToken } from '../../access/account-tokens.ts'
import { requireCredentialsRight } from '../../access/given-roles.ts'
import { isPasswordHash } from '../../access/password.ts'
import { isOwnAccount, isSession } from '../../access/principal.ts'
import { isRecentProviderSignIn } from '../../access/recent-sign-in.ts'
import type { AccountsModel, JsonValue, Stored } from '../../definition/model.ts'
import { type ContentFault, invalidContent } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { accountsOf } from '../../requests/context/service-context.ts'
import type { ItemTarget } from '../../requests/context/target.ts'
import {
  isPasswordOf,
  noPasswordDetail,
  type PasswordOwner,
  passwordOwner,
  wrongPasswordFault,
} from '../../requests/documents/posted-password.ts'
import type { BegunChange, CheckedDraft } from '../../requests/table-behaviour.ts'
import type { RecordDraft } from '../../requests/write/draft-builder.ts'
import type { ContentMembers } from '../../requests/write/draft-from-content.ts'
import type { Row } from '../../store/row.ts'
import { isSameValue } from '../../store/row-fields.ts'
import type { Write } from '../../store/write.ts'
import { verificationsUri } from '../../views/uri.ts'

/** Begins a change of an account. `currentPassword` is in the content of the own one; elsewhere it is an unknown field. */
export function beginAccountChange(
  context: RequestContext<ItemTarget>,
  row: Row,
  members: ContentMembers,
): BegunChange {
  const { caller, target } = context
  const name = target.resource.currentPassword?.name
  if (name === undefined || !isOwnAccount(caller, row)) {
    return { members, check: (draft) => preparePasswordCheck(context, row, draft, undefined) }
  }
  const { [name]: currentPassword, ...rest } = members
  return { members: rest, check: (draft) => preparePasswordCheck(context, row, draft, currentPassword) }
}

/**
 * The verification of the password refuses 429 after too many failures, 422 when it is wrong. Refuses
 * 403 a caller who cannot change credentials, also a token without the scope to change those of others. The draft gets a fault when the password is missing or
 * cannot be right.
 */
async function preparePasswordCheck(
  context: RequestContext<ItemTarget>,
  row: Row,
  draft: RecordDraft,
  currentPassword: JsonValue | undefined,
): Promise<CheckedDraft> {
  const { accounts } = context.service.model
  if (!accounts || !changesCredentials(accounts, row, draft)) {
    return { draft, verify: undefined }
  }
  requireCredentialsRight(accounts, context.caller, row)
  if (!isOwnAccount(context.caller, row)) return { draft, verify: undefined }
  if (accounts.receivesMail && changesLogin(accounts, row, draft)) {
    const fault = unprovenLoginFault(context, accounts)
    return { draft: { ...draft, faults: [...draft.faults, fault] }, verify: undefined }
  }
  if (removesPassword(accounts, draft)) {
    return { draft: { ...draft, faults: [...draft.faults, removalFault(accounts)] }, verify: undefined }
  }
  if (isMissing(currentPassword) && hasProviderProof(context)) {
    return { draft, verify: undefined }
  }
  const owner = passwordOwner(accounts, row)
  if (isPlausible(currentPassword) && isPasswordHash(owner.hash)) {
    return { draft, verify: () => prove(context, owner, currentPassword) }
  }
  const usual = isMissing(currentPassword) ? missingPasswordFault(context) : wrongPasswordFault
  const fault = isPasswordHash(owner.hash) ? usual : { ...usual, detail: noPasswordDetail(context.service) }
  // Counts as a failed sign-in.
  await isPasswordOf(context, owner, undefined)
  return { draft: { ...draft, faults: [...draft.faults, fault] }, verify: undefined }
}

function changesCredentials(accounts: AccountsModel, row: Row, draft: RecordDraft): boolean {
  const { password } = accounts
  const setsPassword = draft.values.get(password) !== undefined || removesPassword(accounts, draft)
  return setsPassword || changesLogin(accounts, row, draft)
}

/** Whether the draft sets an optional password to null. */
function removesPassword({ password }: AccountsModel, { values }: RecordDraft): boolean {
  return !password.required && values.has(password) && values.get(password) === undefined
}

function removalFault({ password }: AccountsModel): ContentFault {
  const detail = 'You cannot remove your own password. Set another one.'
  return { pointer: `/${password.name}`, rule: 'required', detail }
}

function changesLogin({ login }: AccountsModel, row: Row, { values }: RecordDraft): boolean {
  const next = values.get(login)
  if (next === undefined) return false
  // A login of another type is refused later as invalid content.
  return typeof next !== 'string' || !isSameValue(login, login.encode(next), row[login.index])
}

/** Whether the provider has proved the person within the last five minutes. */
function hasProviderProof({ service, caller }: RequestContext): boolean {
  return caller.kind === 'account' && isRecentProviderSignIn(caller, service.clock.now())
}

function isPlausible(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= maxPasswordOctets
}

/** The longest password that an account can have. */
const maxPasswordOctets = 256

function isMissing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === ''
}

function missingPasswordFault({ service }: RequestContext): ContentFault {
  const { providers = [] } = service.model.accounts ?? {}
  const other =
    providers.length === 0
      ? ''
      : ' You can also sign in again with your provider, and try again within five minutes.'
  const detail = `Enter your current password to change your password or login.${other}`
  return { pointer: '/currentPassword', rule: 'required', detail }
}

function unprovenLoginFault({ service }: RequestContext, { login }: AccountsModel): ContentFault {
  const place = verificationsUri(service.model)
  const detail = `Prove that the new address is yours: POST it to ${place}, and follow the link in the mail.`
  return { pointer: `/${login.name}`, rule: 'verification', detail }
}

async function prove(context: RequestContext, owner: PasswordOwner, sent: string) {
  if (!(await isPasswordOf(context, owner, sent))) throw invalidContent([wrongPasswordFault])
}

/**
 * The writes that keep only the caller's session: a new password ends all others and all tokens by itself, and a new
 * login ends the other sessions.
 */
export async function renewOwnSession(
  { service, unit, caller }: RequestContext<ItemTarget>,
  row: Row,
  values: readonly Stored[],
): Promise<readonly Write[]> {
  const { model } = service
  if (!model.accounts) return []
  if (caller.kind !== 'account' || !isOwnAccount(caller, row)) return []
  const tokens = { ...accountsOf(service).tokens, store: unit.store }
  const { login, password } = model.accounts
  const hash = values[password.index]
  if (hash !== row[password.index]) {
    return isSession(caller) ? rebindSessionToken(tokens, caller, String(hash)) : []
  }
  return values[login.index] === row[login.index] ? [] : endOtherSessions(tokens, caller.identity, caller)
}
