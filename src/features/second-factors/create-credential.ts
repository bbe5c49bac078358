/** POST to the credentials of an account: registers an authenticator or a passkey, or makes new recovery codes. */

import { randomUUIDv7 } from 'node:crypto'
import { callerRefusal } from '../../access/access-refusal.ts'
import {
  type CredentialContext,
  createRecoveryCodes,
  encryptionPurpose,
  insertCredential,
  isConfirmed,
  isSecondFactor,
  isShown,
  kindOf,
  listCredentials,
} from '../../access/credentials.ts'
import { requireRoom } from '../../access/most-per-account.ts'
import { isOwnAccount } from '../../access/principal.ts'
import { rightsOf } from '../../access/rights.ts'
import { createTotpKey, formatBase32, formatOtpauthUri } from '../../access/totp.ts'
import { providerKind, type RegisteredKind } from '../../definition/credentials-resource.ts'
import { type AccountsModel, IDENTITY, type JsonValue, type Stored } from '../../definition/model.ts'
import { invalidContent, refuse } from '../../refusal.ts'
import type { RequestContext } from '../../requests/context/request-context.ts'
import { accountsOf, relationsBaseUri } from '../../requests/context/service-context.ts'
import type { CollectionTarget } from '../../requests/context/target.ts'
import { type CurrentState, parentOf } from '../../requests/read/current-state.ts'
import { draftCreation, membersOf } from '../../requests/write/draft-from-content.ts'
import type { PlannedChange } from '../../requests/write/planned-change.ts'
import { viewWithSecrets } from '../../requests/write/shown-secret.ts'
import { canBeTrue, isAlwaysTrue } from '../../store/condition.ts'
import type { Row } from '../../store/row.ts'
import { deleteRow, readField } from '../../store/row-fields.ts'
import type { InsertWrite, Write } from '../../store/write.ts'
import { findOwnActions } from '../../views/item-actions.ts'
import { itemUri } from '../../views/uri.ts'
import { requireCurrentPassword } from '../accounts/reauthentication.ts'
import { ownerNotice } from './owner-notice.ts'
import { createPasskeyOptions, type RelyingParty, relyingPartyAt } from './passkeys/passkey.ts'

/** 201 with the secrets; refuses 403, 409, 422 and 429. */
export async function createCredential(
  context: RequestContext<CollectionTarget>,
  body: unknown,
  current: CurrentState,
): Promise<PlannedChange> {
  const { service, unit, caller, target } = context
  const { model } = service
  const account = parentOf(current)?.row
  if (!account || !model.accounts || !isOwnAccount(caller, account)) throw callerRefusal(caller)
  const { credentials } = accountsOf(service)
  const { kind, name, currentPassword } = parseNewCredential(context, body)
  await requireCurrentPassword(context, model.accounts, account, currentPassword)
  const present = await listCredentials(credentials, String(account[IDENTITY]))
  const party = relyingPartyAt(model.title, service.publicUrl, context.origin)
  const owner = { account, accounts: model.accounts, party, present, name }
  const made = makers[kind](credentials, owner)
  const held = { resource: target.resource, account: String(account[IDENTITY]), only: isShown }
  await requireRoom(unit.store, { ...held, removed: made.replaced.length })
  const at = new Date(service.clock.now()).toISOString()
  const removals = made.replaced.map((row) => deleteRow(credentials.resource, row, at))
  const rights = rightsOf(target.resource, caller)
  // An authenticator or a passkey counts from its confirmation on, which tells the owner.
  const isComplete = kind === 'recovery-codes'
  const notice = isComplete ? await ownerNotice(unit, 'credentialAdded', String(account[IDENTITY])) : []
  return {
    writes: [...removals, { ...made.write, conditionAfter: rights.create }, ...notice],
    response: {
      status: 201,
      view: await createdView(context, made),
      links: [],
      fields: { Location: itemUri(model, target.resource, made.write.values) },
    },
  }
}

/** The new credential with its secrets, and how to confirm it. */
async function createdView(context: RequestContext<CollectionTarget>, { shown, write }: NewCredential) {
  const { service, caller, target, format, origin } = context
  const view = await viewWithSecrets(context, { secrets: shown, values: write.values })
  const { model } = service
  const { resource } = target
  // The owner of a new credential may update it.
  const action = { model, resource, caller, rights: rightsOf(resource, caller), isTrue: canBeTrue }
  const actions = findOwnActions({ ...action, row: write.values })
  const links = [{ target: itemUri(model, resource, write.values), rel: 'self' }]
  const hypermedia = { links, actions: format.hypermedia === 'actions' ? actions : [] }
  const relations = relationsBaseUri(service, origin)
  return format.hypermedia ? { ...view, hypermedia: { ...hypermedia, relations } } : view
}

interface SentCredential {
  readonly kind: RegisteredKind
  readonly name: string | undefined
  readonly currentPassword: JsonValue | undefined
}

function parseNewCredential(
  { target, caller }: RequestContext<CollectionTarget>,
  body: unknown,
): SentCredential {
  const { resource } = target
  const { currentPassword, ...members } = membersOf(body)
  const rights = rightsOf(resource, caller)
  const { values, faults } = draftCreation({ resource, rights, isTrue: isAlwaysTrue }, members)
  if (faults.length > 0) throw invalidContent(faults)
  const text = (name: string) => values.get(resource.fieldByName.get(name)!) as string | undefined
  if (text('kind') === providerKind) {
    const detail = 'Link a provider on the page where people sign in.'
    throw invalidContent([{ pointer: '/kind', rule: 'enum', detail }])
  }
  // Validated as a choice with a default.
  return { kind: text('kind') as RegisteredKind, name: text('name'), currentPassword }
}

interface CredentialOwner {
  /** The row of the account. */
  readonly account: Row
  readonly accounts: AccountsModel
  readonly party: RelyingParty
  /** Its present credentials. */
  readonly present: readonly Row[]
  readonly name: string | undefined
}

interface NewCredential {
  readonly write: InsertWrite
  /** The members to show once, as they would be stored. */
  readonly shown: Readonly<Record<string, Stored>>
  /** The credentials that it replaces. */
  readonly replaced: readonly Row[]
}

const makers: Readonly<
  Record<RegisteredKind, (context: CredentialContext, owner: CredentialOwner) => NewCredential>
> = { totp: createAuthenticator, passkey: createPasskey, 'recovery-codes': replaceRecoveryCodes }

/** An authenticator that was never confirmed is replaced. */
function createAuthenticator(context: CredentialContext, owner: CredentialOwner): NewCredential {
  const { account, accounts, party, present, name } = owner
  const { resource, encryption } = context
  const [identity, key] = [randomUUIDv7(), createTotpKey()]
  const login = String(account[accounts.login.index])
  const stored = {
    account: String(account[IDENTITY]),
    kind: 'totp',
    name: name ?? null,
    secret: encryption.encrypt(encryptionPurpose(identity), key),
  }
  return {
    write: insertCredential(context, identity, stored),
    shown: { secret: formatBase32(key), uri: formatOtpauthUri({ issuer: party.title, login }, key) },
    replaced: present.filter((row) => !isConfirmed(resource, row)),
  }
}

/** The challenge is stored until the passkey is confirmed. */
function createPasskey(context: CredentialContext, owner: CredentialOwner): NewCredential {
  const { account, accounts, party, present, name } = owner
  const { resource, encryption } = context
  const identity = randomUUIDv7()
  const keys = present.filter((row) => kindOf(resource, row) === 'passkey' && isConfirmed(resource, row))
  const named = { identity: String(account[IDENTITY]), login: String(account[accounts.login.index]) }
  const known = keys.map((row) => String(readField(resource, row, 'keyId')))
  const { options, challenge } = createPasskeyOptions(party, named, known)
  const stored = {
    account: named.identity,
    kind: 'passkey',
    name: name ?? null,
    secret: encryption.encrypt(encryptionPurpose(identity), Buffer.from(challenge)),
  }
  return {
    write: insertCredential(context, identity, stored),
    shown: { options: resource.fieldByName.get('options')?.encode(options) ?? null },
    replaced: present.filter((row) => !isConfirmed(resource, row)),
  }
}

/** Refuses 409 where there is no second factor that they could stand in for. */
function replaceRecoveryCodes(
  context: CredentialContext,
  { account, present }: CredentialOwner,
): NewCredential {
  const { resource } = context
  const isCodes = (row: Row) => kindOf(resource, row) === 'recovery-codes'
  if (!present.some((row) => isSecondFactor(resource, row))) {
    throw refuse('state-conflict', { detail: 'Register an authenticator first, and confirm it with a code.' })
  }
  const { codes, write } = createRecoveryCodes(context, String(account[IDENTITY]))
  return { write, shown: { recoveryCodes: encodeCodes(context, codes) }, replaced: present.filter(isCodes) }
}

/** Recovery codes in the form of the stored field, to show them. */
export function encodeCodes({ resource }: CredentialContext, codes: readonly string[]): Stored {
  return resource.fieldByName.get('recoveryCodes')?.encode([...codes]) ?? null
}

/** The writes that revoke what is of no use without the credential: recovery codes, where no other factor remains. */
export async function revokeUseless(context: CredentialContext, revoked: Row): Promise<readonly Write[]> {
  const { resource } = context
  const account = String(revoked[resource.fieldByName.get('account')!.index])
  const others = (await listCredentials(context, account)).filter(
    (row) => row[IDENTITY] !== revoked[IDENTITY],
  )
  if (others.some((row) => isSecondFactor(resource, row))) return []
  const at = new Date(context.now()).toISOString()
  return others
    .filter((row) => kindOf(resource, row) === 'recovery-codes')
    .map((row) => deleteRow(resource, row, at))
}
