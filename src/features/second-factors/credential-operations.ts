/** Confirming an authenticator with a code, and revoking a credential. */

import { endOtherSessions } from '../../access/account-tokens.ts'
import {
  type CredentialContext,
  createRecoveryCodes,
  encryptionPurpose,
  findWriteUsingCode,
  isConfirmed,
  isSecondFactor,
  kindOf,
  listCredentials,
} from '../../access/credentials.ts'
import { isPasswordHash } from '../../access/password.ts'
import { isOwnAccount } from '../../access/principal.ts'
import type { CredentialKind } from '../../definition/credentials-resource.ts'
import { CREATED_AT, IDENTITY, type Model } from '../../definition/model.ts'
import { invalidContent, refuse } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { accountsOf } from '../../requests/context/service-context.ts'
import type { ItemTarget } from '../../requests/context/target.ts'
import type { FoundItem } from '../../requests/read/current-state.ts'
import { membersOf } from '../../requests/write/draft-from-content.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import { viewWithSecrets } from '../../requests/write/shown-secret.ts'
import { all, equals, isOneOf, not, present } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { readField, updateFields } from '../../store/row-fields.ts'
import { findRow, stillCounts } from '../../store/table-rows.ts'
import type { UpdateWrite, Write } from '../../store/write.ts'
import { unknownMember } from '../accounts/create-account.ts'
import { requirePasswordCaller, requireRecentSignIn } from '../accounts/reauthentication.ts'
import { encodeCodes, revokeUseless } from './create-credential.ts'
import { ownerNotice } from './owner-notice.ts'
import { findRegisteredPasskey, parsePasskeyResponse, relyingPartyAt } from './passkeys/passkey.ts'
import { lacksPublicKey } from './passkeys/webauthn.ts'

/**
 * 200: from now on, signing in needs the authenticator. The first one comes with recovery codes, and ends the sessions
 * that a password alone began. Refuses 409 one that is confirmed, 422 a wrong code, which counts as a failed password.
 */
export async function confirmCredential(
  context: RequestContext<ItemTarget>,
  { row, rights }: FoundItem,
  readBody: () => Promise<unknown>,
): Promise<PlannedChange> {
  const body = await readBody()
  const { resource } = context.target
  const { credentials, tokens } = accountsOf(context.service)
  requirePasswordCaller(context)
  if (isConfirmed(resource, row)) {
    throw refuse('state-conflict', { detail: 'This credential is confirmed already.' })
  }
  const isPasskey = kindOf(resource, row) === 'passkey'
  const use = await (isPasskey ? requirePasskey : requireCode)(context, credentials, row, body)
  const account = String(readField(resource, row, 'account'))
  const others = (await listCredentials(credentials, account)).filter((one) => isConfirmed(resource, one))
  const hasCodes = others.some((one) => kindOf(resource, one) === 'recovery-codes')
  const made = hasCodes ? undefined : createRecoveryCodes(credentials, account)
  const isFirst = !others.some((one) => isSecondFactor(resource, one))
  const ended = isFirst ? await endOtherSessions(tokens, account, context.caller) : []
  const notice = await ownerNotice(context.unit, 'credentialAdded', account)
  const created = made ? [made.write] : []
  const writes = [{ ...use, conditionBefore: rights.update }, ...created, ...ended, ...notice]
  const secrets = made ? { recoveryCodes: encodeCodes(credentials, made.codes) } : {}
  const view = await viewWithSecrets(context, { secrets, values: use.values })
  return { writes, response: { status: 200, view, links: [], fields: {} } }
}

/** The write that confirms the credential; refuses 422 a missing or wrong code. */
async function requireCode(
  { service, address }: RequestContext<ItemTarget>,
  credentials: CredentialContext,
  row: Row,
  body: unknown,
): Promise<UpdateWrite> {
  const { code, ...others } = membersOf(body)
  const unknown = Object.keys(others).map(unknownMember)
  if (unknown.length > 0) throw invalidContent(unknown)
  const confirmedAt = new Date(service.clock.now()).toISOString()
  const login = await loginOf(service, credentials, row)
  const use = await accountsOf(service).signInAttempts.guard(login, address, async () =>
    typeof code === 'string' ? findWriteUsingCode(credentials, row, code, { confirmedAt }) : undefined,
  )
  if (use) return use
  const detail = 'Enter the six digits that the authenticator shows now.'
  throw invalidContent([{ pointer: '/code', rule: code === undefined ? 'required' : 'code', detail }])
}

/** In milliseconds: how long a registration can be confirmed. */
const registrationTime = 600_000

/** The write that confirms the passkey; refuses 422 a response that is missing, wrong or late. */
async function requirePasskey(
  { service, origin }: RequestContext<ItemTarget>,
  credentials: CredentialContext,
  row: Row,
  body: unknown,
): Promise<UpdateWrite> {
  const { resource, encryption, now } = credentials
  const identity = String(row[IDENTITY])
  const encrypted = String(readField(resource, row, 'secret'))
  const challenge = encryption.decrypt(encryptionPurpose(identity), encrypted).toString()
  const party = relyingPartyAt(service.model.title, service.publicUrl, origin)
  const isLate = now() - Date.parse(String(row[CREATED_AT])) > registrationTime
  const response = parsePasskeyResponse(membersOf(body).response)
  const values = isLate
    ? undefined
    : findRegisteredPasskey(credentials, party, { identity, challenge }, response)
  const at = new Date(now()).toISOString()
  if (values) return updateFields(resource, row, at, { ...values, confirmedAt: at })
  const detail = lacksPublicKey(response)
    ? lackingPublicKey
    : 'The passkey was not accepted. Register it again.'
  throw invalidContent([{ pointer: '/response', rule: 'passkey', detail }])
}

const lackingPublicKey =
  'The response lacks `publicKey`. Update your browser and your password manager, or register a passkey with another one.'

async function loginOf(
  { model }: { readonly model: Model },
  { resource, store }: CredentialContext,
  row: Row,
): Promise<string> {
  const value = String(readField(resource, row, 'account'))
  const { accounts } = model
  const account = accounts && (await findRow(store, accounts.resource, value))
  return String(account?.[accounts?.login.index ?? 0])
}

/**
 * The writes beside a revocation: the end of what is of no use without the credential, and a notice. Refuses its owner without a recent
 * sign-in: 401, or 403 for a token or JWT.
 */
export async function prepareRevocation(
  context: RequestContext<ItemTarget>,
  row: Row,
): Promise<readonly Write[]> {
  const { service, unit, caller, target } = context
  const isOwn = isOwnAccount(caller, [readField(target.resource, row, 'account')])
  if (isOwn) requireRecentSignIn(context)
  const { credentials } = accountsOf(service)
  const guard = isOwn ? await requireOtherWay(context, credentials, row) : []
  const useless = await revokeUseless(credentials, row)
  const isEffective = isConfirmed(target.resource, row)
  const account = String(readField(target.resource, row, 'account'))
  const notice = isEffective ? await ownerNotice(unit, 'credentialRemoved', account) : []
  return [...guard, ...useless, ...notice]
}

/** The credentials that sign in without a password. */
const sufficientKinds: readonly CredentialKind[] = ['passkey', 'provider']

/**
 * Checks at the commit that an account without a password keeps another way to sign in. Refuses 409 the revocation of its
 * last one.
 */
async function requireOtherWay(
  { service }: RequestContext<ItemTarget>,
  { resource, store }: CredentialContext,
  row: Row,
): Promise<readonly Write[]> {
  const { accounts } = service.model
  const identity = String(readField(resource, row, 'account'))
  // A link in a mail is another way always.
  if (!accounts || accounts.signsInByLink) return []
  if (!isConfirmed(resource, row) || !sufficientKinds.includes(kindOf(resource, row))) return []
  const account = await findRow(store, accounts.resource, identity)
  if (isPasswordHash(account?.[accounts.password.index])) return []
  const condition = all([
    equals(['account'], identity),
    not(equals(['_identity'], String(row[IDENTITY]))),
    isOneOf(['kind'], sufficientKinds),
    present(['confirmedAt']),
  ])
  const others = await store.count(resource.name, condition)
  if (others > 0) return [stillCounts(resource, condition, others)]
  throw refuse('state-conflict', {
    detail: 'Your account has no password, and nothing else would sign you in. Set a password first.',
  })
}
