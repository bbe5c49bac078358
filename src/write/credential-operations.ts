/** Confirming an authenticator with a code, and revoking a credential. */

import { isOwnAccount } from '../access/principal.ts'
import {
  type CredentialContext,
  codeWrite,
  createRecoveryCodes,
  isConfirmed,
  kindOf,
  listCredentials,
} from '../access/second-factor.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { ItemTarget } from '../context/target.ts'
import { IDENTITY, type Model } from '../definition/model.ts'
import type { FoundItem } from '../read/current-state.ts'
import { type ContentFault, invalidContent, refuse } from '../refusal.ts'
import type { ViewResponse } from '../respond/finish-response.ts'
import { all, always, equals, not } from '../store/condition.ts'
import { type Row, versionOf } from '../store/row.ts'
import { readField } from '../store/row-fields.ts'
import type { UpdateWrite, Write } from '../store/write.ts'
import { encodeCodes, revokeUseless } from './create-credential.ts'
import { membersOf } from './draft-from-content.ts'
import { requirePasswordCaller, requireRecentSignIn } from './own-proof.ts'
import { viewWithSecrets } from './shown-secret.ts'
import { submitWrites } from './submit-write.ts'

/**
 * 200: from now on, signing in needs the authenticator. The first one comes with recovery codes, and ends the sessions
 * that a password alone began. Refuses 409 one that is confirmed, 422 a wrong code, which counts as a failed password.
 */
export async function confirmCredential(
  context: RequestContext<ItemTarget>,
  { row, rights }: FoundItem,
  body: unknown,
): Promise<ViewResponse> {
  const { resource } = context.target
  const { credentials } = context.service
  requirePasswordCaller(context)
  if (!credentials || isConfirmed(resource, row)) {
    throw refuse('state-conflict', { detail: 'This credential is confirmed already.' })
  }
  const use = await requireCode(context, credentials, row, body)
  const account = String(readField(resource, row, 'account'))
  const others = (await listCredentials(credentials, account)).filter((one) => isConfirmed(resource, one))
  const hasCodes = others.some((one) => kindOf(resource, one) === 'recovery-codes')
  const made = hasCodes ? undefined : createRecoveryCodes(credentials, account)
  const ended = others.length === 0 ? await endOtherSessions(context, account) : []
  const writes = [{ ...use, conditionBefore: rights.update }, ...(made ? [made.write] : []), ...ended]
  const secrets = made ? { recoveryCodes: encodeCodes(credentials, made.codes) } : {}
  return submitWrites(context, writes, {
    status: 200,
    view: await viewWithSecrets(context, { secrets, values: use.values }),
    links: [],
    fields: {},
  })
}

/** The write that confirms the credential; refuses 422 a missing or wrong code. */
async function requireCode(
  { service, address }: RequestContext<ItemTarget>,
  credentials: CredentialContext,
  row: Row,
  body: unknown,
): Promise<UpdateWrite> {
  const { code, ...others } = membersOf(body)
  const unknown = Object.keys(others).map((name): ContentFault => {
    return { pointer: `/${name}`, rule: 'additionalProperties', detail: 'This field is unknown.' }
  })
  if (unknown.length > 0) throw invalidContent(unknown)
  const confirmedAt = new Date(service.clock.now()).toISOString()
  let use: UpdateWrite | undefined
  await service.signInAttempts.guard(await loginOf(service, credentials, row), address, async () => {
    use = typeof code === 'string' ? codeWrite(credentials, row, code, { confirmedAt }) : undefined
    return use !== undefined
  })
  if (use) return use
  const detail = 'Enter the six digits that the authenticator shows now.'
  throw invalidContent([{ pointer: '/code', rule: code === undefined ? 'required' : 'code', detail }])
}

async function loginOf(
  { model }: { readonly model: Model },
  { resource, store }: CredentialContext,
  row: Row,
): Promise<string> {
  const value = String(readField(resource, row, 'account'))
  const { accounts } = model
  const table = accounts?.resource.name ?? ''
  const account = await store.find({ table, column: '_identity', value, evaluated: [] })
  return String(account?.[accounts?.login.index ?? 0])
}

const maxSessions = 500

/** Deletes the sessions of the account, except the caller's own. */
async function endOtherSessions(
  { service, caller }: RequestContext<ItemTarget>,
  account: string,
): Promise<readonly Write[]> {
  const { tokens, store, clock } = service
  if (!tokens || caller.kind !== 'account') return []
  const own =
    caller.credential.kind === 'token' ? [not(equals(['_identity'], caller.credential.identity))] : []
  const { name: table } = tokens.resource
  const sessions = await store.list({
    table,
    condition: all([equals(['owner'], account), equals(['session'], 1), ...own]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: maxSessions,
    evaluated: [],
  })
  const at = new Date(clock.now()).toISOString()
  return sessions.map((row) => ({
    kind: 'delete',
    table,
    identity: String(row[IDENTITY]),
    version: versionOf(row),
    conditionBefore: always,
    at,
  }))
}

/** The writes beside a revocation. Refuses its owner without a recent sign-in: 401, or 403 for a token or JWT. */
export async function prepareRevocation(
  context: RequestContext<ItemTarget>,
  row: Row,
): Promise<readonly Write[]> {
  const { service, caller, target } = context
  if (isOwnAccount(caller, [readField(target.resource, row, 'account')])) requireRecentSignIn(context)
  return service.credentials ? revokeUseless(service.credentials, row) : []
}
