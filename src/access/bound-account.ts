/**
 * Binds accounts to the subjects of issuers. The first JWT for an account binds it to `iss` and
 * `sub`; from then on no other subject of that issuer can use the account, whatever login it claims.
 *
 * When people choose their own login, an account may have been created with the address of another
 * person. So the binding voids the password of such an account, and removes all that it has handed out.
 */

import { randomUUIDv7 } from 'node:crypto'
import { providerKind } from '../definition/credentials-resource.ts'
import {
  type AccountsModel,
  IDENTITY,
  type Model,
  type ResourceModel,
  type Stored,
} from '../definition/model.ts'
import { unavailable } from '../refusal.ts'
import { always, equals } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { deleteRow, readField, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import type { DeleteWrite, InsertWrite, UpdateWrite, Write } from '../store/write.ts'
import { findAccountRow, isDisabled } from './basic-scheme.ts'
import { type CredentialContext, insertCredential } from './credentials.ts'
import { randomPasswordHash } from './password.ts'
import { revokeAll } from './revocation.ts'
import { sha256 } from './secret-token.ts'

export interface AccountBindingContext {
  readonly model: Model
  readonly resource: ResourceModel
  readonly accounts: AccountsModel
  readonly store: Store
  readonly now: () => number
}

/** The claims of a verified JWT that identify its subject. */
export interface VerifiedSubject {
  readonly issuer: string
  readonly subject: string
  readonly login: string
}

/** Retries when concurrent requests bind the same account. */
const maxAttempts = 5

/**
 * Returns the row of the account with the claimed login, after binding it to the subject; undefined
 * when there is none, it is disabled, or it is bound to another subject.
 */
export async function findBoundAccount(
  context: AccountBindingContext,
  verified: VerifiedSubject,
): Promise<Row | undefined> {
  const { resource, accounts, store } = context
  const value = subjectDigest(verified.issuer, verified.subject)
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const account = await findAccountRow(accounts, store, verified.login)
    if (!account || isDisabled(accounts, account)) return undefined
    const lookup = { table: resource.name, column: 'subjectDigest', value, evaluated: [] }
    const bound = await store.find(lookup)
    if (bound) return readField(resource, bound, 'account') === account[IDENTITY] ? account : undefined
    const writes = await planBinding(context, verified, account)
    if (!writes) return undefined
    // The next attempt reads the binding, whether this request or another one wrote it.
    const { issuer, subject } = verified
    const actor = { account: account[IDENTITY] as string, issuer, subject }
    const outcome = writes.length > 0 ? await store.write(writes, { actor }) : undefined
    // Requests of the account have come in between. Without its password no more of them begin.
    const isVoiding = writes.some(({ kind }) => kind === 'update') && outcome?.kind === 'refused'
    if (isVoiding) await store.write([voidPassword(context, account)], { actor })
  }
  throw unavailable('Too many requests are changing this account at once.')
}

/**
 * Returns the writes that bind the account: none when another request has just bound it to this
 * subject, undefined when it must not be bound to it.
 */
async function planBinding(
  context: AccountBindingContext,
  verified: VerifiedSubject,
  account: Row,
): Promise<readonly Write[] | undefined> {
  const { resource, accounts, store } = context
  const others = await listBindings(store, resource, account[IDENTITY] as string)
  const bound = others.find((row) => readField(resource, row, 'issuer') === verified.issuer)
  if (bound) return readField(resource, bound, 'subject') === verified.subject ? [] : undefined
  const provenLogin = String(account[accounts.login.index])
  const binding = insertBinding(context, { ...verified, provenLogin }, account)
  if (!accounts.selfChosenLogins) return [binding]
  if (others.length === 0) {
    const identity = String(account[IDENTITY])
    const revoked = await revokeAll(context, identity, new Date(context.now()).toISOString())
    return [voidPassword(context, account), ...revoked, binding]
  }
  const login = account[accounts.login.index]
  return others.some((row) => readField(resource, row, 'provenLogin') === login) ? [binding] : undefined
}

/** SHA-256 of issuer and subject. */
export function subjectDigest(issuer: string, subject: string): string {
  return sha256(JSON.stringify([issuer, subject]))
}

/** The subjects that the account is bound to, and the proofs of its addresses. */
export function listBindings(store: Store, resource: ResourceModel, account: string) {
  return store.list({
    table: resource.name,
    condition: equals(['account'], account),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: 100,
    evaluated: [],
  })
}

/** A subject, and the login of the account that its issuer proves; empty: none. */
interface BoundSubject {
  readonly issuer: string
  readonly subject: string
  readonly provenLogin: string
}

/** The write that binds the account to the subject. */
export function insertBinding(
  { resource, now }: Pick<AccountBindingContext, 'resource' | 'now'>,
  { issuer, subject, provenLogin }: BoundSubject,
  account: Row,
): InsertWrite {
  const identity = account[IDENTITY] as string
  const at = new Date(now()).toISOString()
  const stored: Readonly<Record<string, Stored>> = {
    account: identity,
    issuer,
    subject,
    provenLogin,
    subjectDigest: subjectDigest(issuer, subject),
    accountDigest: sha256(JSON.stringify([issuer, identity])),
  }
  const fields = resource.fields.map(({ name }) => stored[name] ?? null)
  const values = [randomUUIDv7(), 1, at, at, ...fields]
  return { kind: 'insert', table: resource.name, values, conditionAfter: always }
}

type BindingCredentials = Pick<CredentialContext, 'resource' | 'store' | 'now'>

/** The write that shows the bound provider among the credentials of the account. */
export function insertProviderCredential(
  credentials: CredentialContext,
  { provider, issuer, subject }: { provider: string; issuer: string; subject: string },
  account: string,
): InsertWrite {
  const confirmedAt = new Date(credentials.now()).toISOString()
  const keyDigest = subjectDigest(issuer, subject)
  const stored = { account, kind: providerKind, name: provider, confirmedAt, keyDigest }
  return insertCredential(credentials, randomUUIDv7(), stored)
}

/** The writes that end bindings, with the credentials that show them. */
export async function unbindWrites(
  { resource, store, now }: BindingCredentials,
  identities: ResourceModel,
  bindings: readonly Row[],
): Promise<readonly DeleteWrite[]> {
  const at = new Date(now()).toISOString()
  const shown = await Promise.all(
    bindings.map((row) => {
      const value = String(readField(identities, row, 'subjectDigest'))
      return store.find({ table: resource.name, column: 'keyDigest', value, evaluated: [] })
    }),
  )
  return [
    ...bindings.map((row) => deleteRow(identities, row, at)),
    ...shown.filter((row) => row !== undefined).map((row) => deleteRow(resource, row, at)),
  ]
}

/** The write that ends the binding that the credential shows; none where it has ended. */
export async function endBinding(
  { resource, store, now }: BindingCredentials,
  identities: ResourceModel,
  credential: Row,
): Promise<readonly DeleteWrite[]> {
  const value = String(readField(resource, credential, 'keyDigest'))
  const lookup = { table: identities.name, column: 'subjectDigest', value, evaluated: [] }
  const bound = await store.find(lookup)
  return bound ? [deleteRow(identities, bound, new Date(now()).toISOString())] : []
}

/** Replaces the password by a random hash that no password matches. */
function voidPassword({ accounts, now }: AccountBindingContext, account: Row): UpdateWrite {
  const { resource, password } = accounts
  const at = new Date(now()).toISOString()
  return updateFields(resource, account, at, { [password.name]: randomPasswordHash() })
}
