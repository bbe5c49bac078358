/**
 * Binds accounts to the subjects of issuers. The first JWT for an account binds it to `iss` and
 * `sub`; from then on no other subject of that issuer can use the account, whatever login it claims.
 *
 * When people choose their own login, an account may have been created with the address of another
 * person. So the binding voids the password of such an account, and removes all that it has handed out.
 */

import { randomUUIDv7 } from 'node:crypto'
import { type BindingKind, providerKind } from '../definition/credentials-resource.ts'
import { type AccountsModel, IDENTITY, type Model, type ResourceModel } from '../definition/model.ts'
import { unavailable } from '../refusal.ts'
import { all, type Condition, equals, present } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { readField, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import { findRow, listRows, stillCounts } from '../store/table-rows.ts'
import type { InsertWrite, RepeatRead, UpdateWrite, Write } from '../store/write.ts'
import { findAccountRow, isDisabled } from './basic-scheme.ts'
import { insertCredential } from './credentials.ts'
import { createHashOfNone } from './password.ts'
import { revokeAll } from './revocation.ts'
import { sha256 } from './secret-token.ts'

/** The table of credentials. */
export interface BindingTable {
  readonly resource: ResourceModel
  readonly store: Store
  readonly now: () => number
}

export interface AccountBindingContext extends BindingTable {
  readonly model: Model
  readonly accounts: AccountsModel
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
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const account = await findAccountRow(accounts, store, verified.login)
    if (!account || isDisabled(accounts, account)) return undefined
    const bound = await findBinding(context, verified)
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
  const { resource, accounts } = context
  const identity = String(account[IDENTITY])
  const others = await listBindings(context, identity)
  const bound = others.find((row) => readField(resource, row, 'issuer') === verified.issuer)
  if (bound) return readField(resource, bound, 'subject') === verified.subject ? [] : undefined
  const provenLogin = String(account[accounts.login.index])
  const { issuer, subject } = verified
  const binding = insertBinding(context, { kind: 'subject', issuer, subject, provenLogin }, identity)
  if (!accounts.selfChosenLogins) return [binding]
  if (others.length === 0) {
    const revoked = await revokeAll(context, identity, new Date(context.now()).toISOString())
    return [stillBound(context, identity, others), voidPassword(context, account), ...revoked, binding]
  }
  return others.some((row) => readField(resource, row, 'provenLogin') === provenLogin) ? [binding] : undefined
}

/** The binding of the subject; undefined where it is bound to no account. */
export async function findBinding(
  { resource, store }: BindingTable,
  { issuer, subject }: Pick<NewBinding, 'issuer' | 'subject'>,
): Promise<Row | undefined> {
  const value = digestOf(issuer, subject)
  return findRow(store, resource, value, 'keyDigest')
}

/** All bindings of the account: the subjects of issuers, and the proof of its address. */
export async function listBindings(
  { resource, store }: BindingTable,
  account: string,
): Promise<readonly Row[]> {
  return listRows(store, resource, { condition: bindingsOf(account), limit: 100 })
}

/** Refuses writes, as stale, where the account has got another binding than these, or lost one. */
export function stillBound(
  { resource }: BindingTable,
  account: string,
  bindings: readonly Row[],
): RepeatRead {
  return stillCounts(resource, bindingsOf(account), bindings.length)
}

function bindingsOf(account: string): Condition {
  return all([equals(['account'], account), present(['accountDigest'])])
}

export interface NewBinding {
  readonly kind: BindingKind
  readonly issuer: string
  readonly subject: string
  /** The login of the account that the issuer proves; empty: none. */
  readonly provenLogin: string
  /** The name of the provider, which the owner sees. */
  readonly name?: string
}

/** The write that binds the account to the subject. */
export function insertBinding(
  { resource, now }: Pick<BindingTable, 'resource' | 'now'>,
  { issuer, subject, ...binding }: NewBinding,
  account: string,
): InsertWrite {
  const stored = {
    ...binding,
    account,
    confirmedAt: binding.kind === providerKind ? new Date(now()).toISOString() : null,
    issuer,
    subject,
    keyDigest: digestOf(issuer, subject),
    accountDigest: digestOf(issuer, account),
  }
  return insertCredential({ resource, now }, randomUUIDv7(), stored)
}

function digestOf(issuer: string, subject: string): string {
  return sha256(JSON.stringify([issuer, subject]))
}

/** A URI that no issuer of JWTs has. */
const proofIssuer = 'mailto:'

/** Whether the binding is a proof by mail. */
export function isMailProof(resource: ResourceModel, binding: Row): boolean {
  return readField(resource, binding, 'issuer') === proofIssuer
}

/** The write that records the proof of an address by mail: an account has one, and a new one replaces it. */
export async function proofWrite(
  table: BindingTable,
  account: Row,
  address: string,
): Promise<InsertWrite | UpdateWrite> {
  const { resource, now } = table
  const identity = String(account[IDENTITY])
  const proof = { kind: 'address', issuer: proofIssuer, subject: identity, provenLogin: address } as const
  const present = await findBinding(table, proof)
  if (!present) return insertBinding(table, proof, identity)
  return updateFields(resource, present, new Date(now()).toISOString(), { provenLogin: address })
}

/** Replaces the password by a random hash that no password matches. */
function voidPassword({ accounts, now }: AccountBindingContext, account: Row): UpdateWrite {
  const { resource, password } = accounts
  const at = new Date(now()).toISOString()
  return updateFields(resource, account, at, { [password.name]: createHashOfNone() })
}
