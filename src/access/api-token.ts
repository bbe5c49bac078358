/** Tokens (CONTRACT 7): made once, looked up by their digest, and dead with what they hang on. */

import { randomUUIDv7 } from 'node:crypto'
import {
  type AccountsModel,
  FIRST_FIELD_INDEX,
  type FieldModel,
  IDENTITY,
  type JsonValue,
  type ResourceModel,
  type Stored,
  UPDATED_AT,
  VERSION,
} from '../definition/model.ts'
import type { Observer } from '../observation.ts'
import { all, always, any, type Condition, equals } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { type ReplaceWrite, type Store, StoreUnavailable } from '../store/store.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { accountFromRow } from './basic-scheme.ts'
import type { Account } from './principal.ts'
import { createSecretToken, isSecretToken, sha256 } from './secret-token.ts'

/** In seconds, where its maker does not say. */
export const defaultTokenLifetime = 90 * 86_400
/** Of one owner, so that an account can always be deleted together with its tokens. */
export const maxTokensPerAccount = 500

export interface TokenContext {
  readonly resource: ResourceModel
  readonly accounts: AccountsModel
  readonly store: Store
  readonly now: () => number
  readonly observe: Observer
}

/** The account of a token; undefined where the token is unknown, expired or revoked. */
export async function findTokenAccount(
  tokens: TokenContext,
  credentials: string,
): Promise<Account | undefined> {
  const digest = sha256(credentials)
  const known = cachedTokens(tokens).get(digest)
  if (!known && !isSecretToken(credentials)) return undefined
  // Read before the rows, so that a write in between makes the next request load them again.
  const revisions = await loadRevisions(tokens)
  const isCurrent = known && revisions !== undefined && isFresh(tokens, known, revisions)
  return isCurrent ? known.account : loadTokenAccount(tokens, digest, known, revisions)
}

/** The revisions of both tables as one text; undefined where the store counts none. */
async function loadRevisions({
  resource,
  accounts,
  store,
}: TokenContext): Promise<string | undefined> {
  const token = await store.revision(resource.name)
  const account = await store.revision(accounts.resource.name)
  return token === undefined || account === undefined ? undefined : `${token} ${account}`
}

function isFresh(
  { now }: TokenContext,
  { revisions, at, until }: CachedToken,
  current: string,
): boolean {
  const present = now()
  return revisions === current && Math.abs(present - at) < maxCacheAge && present < until
}

/** In milliseconds, because an operator may change the database file directly. */
const maxCacheAge = 1000

async function loadTokenAccount(
  tokens: TokenContext,
  value: string,
  known: CachedToken | undefined,
  revisions: string | undefined,
): Promise<Account | undefined> {
  const { resource, accounts, store } = tokens
  const lately = cachedTokens(tokens)
  const row = await store.find({ table: resource.name, column: 'token', value, evaluate: [] })
  if (!row || !isUnexpired(tokens, row)) return undefined
  const owner = await store.find({
    table: accounts.resource.name,
    column: '_identity',
    value: readField(resource, row, 'owner') as string,
    evaluate: [],
  })
  if (!owner) return undefined
  const at = tokens.now()
  const day = Math.floor(at / 86_400_000)
  const until = expiryOf(tokens, row)
  const state = `${day} ${row[IDENTITY]} ${row[VERSION]} ${owner[IDENTITY]} ${owner[VERSION]}`
  if (known?.state === state) {
    lately.set(value, { ...known, revisions, at })
    return known.account
  }
  const holder = accountFromRow(accounts, owner)
  if (holder.passwordMark !== readField(resource, row, 'passwordMark')) return undefined
  await recordUse(tokens, row)
  const credential = credentialOf(resource, row)
  const account = { ...holder, roles: credential.roles ?? holder.roles, credential }
  if (lately.size >= maxCachedTokens) lately.clear()
  lately.set(value, { state, account, revisions, at, until })
  return account
}

/** Whom a token stood for on a day, in which versions of its row and its owner's. */
interface CachedToken {
  readonly state: string
  readonly account: Account
  /** The revisions of both tables before the rows were loaded. */
  readonly revisions: string | undefined
  /** When that was, in milliseconds since 1970. */
  readonly at: number
  /** When it expires, in milliseconds since 1970. */
  readonly until: number
}

const maxCachedTokens = 1000

/** The rows of a known token are loaded again only when one of their tables has changed. */
const cachedTokens = memoizeByObject((_: TokenContext) => new Map<string, CachedToken>())

function isUnexpired(tokens: TokenContext, row: Row): boolean {
  return expiryOf(tokens, row) > tokens.now()
}

function expiryOf({ resource }: TokenContext, row: Row): number {
  return Date.parse(String(readField(resource, row, 'expiresAt')))
}

function credentialOf(resource: ResourceModel, row: Row) {
  return {
    kind: 'token',
    identity: row[IDENTITY] as string,
    scopes: readSet(resource, row, 'scopes') ?? new Set<string>(),
    roles: readSet(resource, row, 'roles'),
    session: readField(resource, row, 'session') === 1,
    expiresAt: readField(resource, row, 'expiresAt') as string,
  } as const
}

function readSet(resource: ResourceModel, row: Row, name: string): ReadonlySet<string> | undefined {
  const stored = readField(resource, row, name)
  if (stored === null) return undefined
  const value = resource.field.get(name)?.decode(stored)
  return new Set(Array.isArray(value) ? value.map(String) : [])
}

/**
 * The day of use, written at most once a day. What a token shows changes with it, so its version
 * does too (RFC 9110 §8.8.1). A disk that takes no more writes must not keep anyone from reading.
 */
async function recordUse({ resource, store, now, observe }: TokenContext, row: Row): Promise<void> {
  const at = new Date(now()).toISOString()
  const day = at.slice(0, 10)
  if (readField(resource, row, 'lastUsedOn') === day) return
  const write = replaceRow(resource, row, at, { lastUsedOn: day })
  try {
    await store.write([write])
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    observe({ kind: 'store-unavailable', reason: error.reason, cause: error })
  }
}

/** The write that binds the token of a session to a new password; none where it was just deleted. */
export async function rebindSessionToken(
  { resource, store, now }: TokenContext,
  { credential }: Account,
  passwordHash: string,
): Promise<readonly ReplaceWrite[]> {
  if (credential.kind !== 'token') return []
  const value = credential.identity
  const row = await store.find({ table: resource.name, column: '_identity', value, evaluate: [] })
  if (!row) return []
  const at = new Date(now()).toISOString()
  return [replaceRow(resource, row, at, { passwordMark: sha256(passwordHash) })]
}

function replaceRow(
  { name, field, fields }: ResourceModel,
  row: Row,
  at: string,
  changed: Readonly<Record<string, Stored>>,
): ReplaceWrite {
  const [identity, version] = [row[IDENTITY] as string, row[VERSION] as number]
  const values = row.slice(0, FIRST_FIELD_INDEX + fields.length)
  values[VERSION] = version + 1
  values[UPDATED_AT] = at
  for (const [one, value] of Object.entries(changed)) {
    values[(field.get(one) as FieldModel).index] = value
  }
  const conditions = { guard: always, result: always }
  return { kind: 'replace', table: name, identity, version, values, ...conditions }
}

function readField(resource: ResourceModel, row: Row, name: string): Stored {
  return row[(resource.field.get(name) as FieldModel).index] ?? null
}

export interface NewToken {
  readonly owner: Account
  readonly name: string | undefined
  readonly scopes: readonly string[]
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
  /** Set where it is made by signing in on pages. */
  readonly session?: true
}

export interface CreatedToken {
  /** Known here and now, and never again. */
  readonly secret: string
  readonly identity: string
  /** The row to insert. */
  readonly values: readonly Stored[]
}

/** The mark is of the password that its maker proved, whatever has become of that meanwhile. */
export function createApiToken({ resource, now }: TokenContext, token: NewToken): CreatedToken {
  const secret = createSecretToken()
  const identity = randomUUIDv7()
  const at = new Date(now()).toISOString()
  const shown: Readonly<Record<string, JsonValue | undefined>> = {
    name: token.name,
    scopes: token.scopes,
    expiresAt: new Date(token.expiresAt).toISOString(),
    roles: limitedRoles(token.owner),
    session: token.session,
  }
  const kept: Readonly<Record<string, Stored>> = {
    owner: token.owner.identity,
    token: sha256(secret),
    passwordMark: token.owner.passwordMark,
  }
  const fields = resource.fields.map((field) => {
    const value = shown[field.name]
    return value === undefined ? (kept[field.name] ?? null) : field.encode(value)
  })
  return { secret, identity, values: [identity, 1, at, at, ...fields] }
}

/** A token made with a JWT or a token stands for no other roles than that. */
function limitedRoles({ credential }: Account): readonly string[] | undefined {
  if (credential.kind === 'password' || !credential.roles) return undefined
  return [...credential.roles]
}

/** Forgets what can no longer be used, then tells whether the owner may have one more. */
export async function makeRoomForToken(tokens: TokenContext, owner: Account): Promise<boolean> {
  const { resource, store, now } = tokens
  const dead = await store.list({
    table: resource.name,
    condition: all([equals(['owner'], owner.identity), expiredOrRevoked(owner, now())]),
    order: [{ column: '_identity', descending: false }],
    after: undefined,
    limit: maxTokensPerAccount,
    evaluate: [],
  })
  const at = new Date(now()).toISOString()
  for (const row of dead) {
    const [identity, version] = [row[IDENTITY] as string, row[VERSION] as number]
    // One that another request removes meanwhile is as gone as it should be.
    await store.write([
      { kind: 'remove', table: resource.name, identity, version, guard: always, at },
    ])
  }
  const living = await store.count(resource.name, equals(['owner'], owner.identity))
  return living < maxTokensPerAccount
}

/** Past its time, or made under another password. */
function expiredOrRevoked(owner: Account, now: number): Condition {
  return any([
    compare('expiresAt', 'lte', new Date(now).toISOString()),
    compare('passwordMark', 'ne', owner.passwordMark),
  ])
}

function compare(name: string, operator: 'lte' | 'ne', value: string): Condition {
  return { kind: 'compare', path: [name], operator, values: [value] }
}
