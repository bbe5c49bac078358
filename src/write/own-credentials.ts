/**
 * Changing one's own password or login: only with the current password, and only by a caller who
 * sent that password (Basic) or signed in with it on pages. A token or a JWT stands for less.
 */

import { rebindSessionToken } from '../access/api-token.ts'
import { passwordChangeHashQueue, verifyPassword } from '../access/password.ts'
import { isOwnAccount, isSession, mayChangeCredentials } from '../access/principal.ts'
import { hashRequesterOf, type RequestContext } from '../context/request-context.ts'
import type { ItemTarget } from '../context/target.ts'
import type { AccountsModel, JsonValue, Stored } from '../definition/model.ts'
import { type ContentFault, invalidContent, refuse } from '../refusal.ts'
import type { Row } from '../store/row.ts'
import type { MaybePromise, ReplaceWrite } from '../store/store.ts'
import type { ContentMembers, RecordDraft } from './record-draft.ts'
import { isSameValue } from './unchanged.ts'

/** The members of the content, and apart from them the current password. */
export interface SplitContent {
  readonly members: ContentMembers
  readonly currentPassword: JsonValue | undefined
}

/** Takes `currentPassword` out of the content; on another's account it stays, as an unknown field. */
export function takeCurrentPassword(
  { caller, target }: RequestContext<ItemTarget>,
  row: Row,
  members: ContentMembers,
): SplitContent {
  const name = target.resource.currentPassword?.name
  if (name === undefined || !isOwnAccount(caller, row))
    return { members, currentPassword: undefined }
  const { [name]: currentPassword, ...rest } = members
  return { members: rest, currentPassword }
}

/** Checks the proof. Refuses 429 where too many have failed, 422 where it is wrong. */
export type ProvePassword = () => Promise<void>

interface PasswordProof {
  readonly draft: RecordDraft
  readonly prove: ProvePassword | undefined
}

/**
 * What the change still has to prove before it is made; undefined where that is nothing. Refuses
 * 403 a caller who cannot prove it. Adds a fault to the draft's where the proof cannot be right.
 */
export function requirePasswordProof(
  context: RequestContext<ItemTarget>,
  row: Row,
  draft: RecordDraft,
  currentPassword: JsonValue | undefined,
): MaybePromise<PasswordProof> {
  const { accounts } = context.service.model
  if (accounts?.resource !== context.target.resource || !isOwnAccount(context.caller, row)) {
    return { draft, prove: undefined }
  }
  if (!changesCredentials(accounts, row, draft)) return { draft, prove: undefined }
  if (!mayChangeCredentials(context.caller)) throw weakCredential()
  if (isPlausible(currentPassword)) {
    return { draft, prove: () => prove(context, accounts, row, currentPassword) }
  }
  const fault = isMissing(currentPassword) ? missingProof : wrongProof
  const faulty = { ...draft, faults: [...draft.faults, fault] }
  return countFailures(context, accounts, row, async () => false).then(() => ({
    draft: faulty,
    prove: undefined,
  }))
}

function changesCredentials({ login, password }: AccountsModel, row: Row, { values }: RecordDraft) {
  if (values.get(password) !== undefined) return true
  const next = values.get(login)
  if (next === undefined) return false
  // What is no text is no login, and refused for that.
  return typeof next !== 'string' || !isSameValue(login, login.encode(next), row[login.index])
}

function weakCredential() {
  return refuse('forbidden', {
    detail:
      'A token or a JWT cannot change the password or login of its own account. Use Basic, or sign in on pages.',
  })
}

function isPlausible(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= maxPasswordOctets
}

/** No password is longer. */
const maxPasswordOctets = 256

function isMissing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === ''
}

const missingProof: ContentFault = {
  pointer: '/currentPassword',
  rule: 'required',
  detail: 'Your current password is needed to change your password or login.',
}

const wrongProof: ContentFault = {
  pointer: '/currentPassword',
  rule: 'currentPassword',
  detail: 'This is not your current password.',
}

async function prove(context: RequestContext, accounts: AccountsModel, row: Row, sent: string) {
  const stored = String(row[accounts.password.index])
  const inTurn = passwordChangeHashQueue.turnFor(hashRequesterOf(context))
  const right = await countFailures(context, accounts, row, () =>
    verifyPassword(sent, stored, inTurn),
  )
  if (!right) throw invalidContent([wrongProof])
}

/** Counted with the failed sign-ins of the same login and address. */
function countFailures(
  { service, address }: RequestContext,
  { login }: AccountsModel,
  row: Row,
  check: () => Promise<boolean>,
): Promise<boolean> {
  return service.attempts.guard(String(row[login.index]), address, check)
}

/** What keeps this session when its own password changes; all other sessions and tokens end. */
export function renewOwnSession(
  { service, caller, target }: RequestContext<ItemTarget>,
  row: Row,
  values: readonly Stored[],
): MaybePromise<readonly ReplaceWrite[]> {
  const { model, tokens } = service
  if (!tokens || target.resource !== model.accounts?.resource) return []
  const { index: at } = model.accounts.password
  if (caller.kind !== 'account' || !isSession(caller)) return []
  if (!isOwnAccount(caller, row) || values[at] === row[at]) return []
  return rebindSessionToken(tokens, caller, String(values[at]))
}
