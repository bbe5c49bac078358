/** Finds the account of a token by the digest of its secret, with a short-lived cache. */

import { IDENTITY, type ResourceModel, VERSION } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import { readField, updateFields } from '../store/row-fields.ts'
import { StoreUnavailable } from '../store/store.ts'
import { findRow } from '../store/table-rows.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { TokenContext } from './account-tokens.ts'
import { accountFromRow } from './basic-scheme.ts'
import type { Account } from './principal.ts'
import { isSecretToken, sha256 } from './secret-token.ts'

/**
 * Returns the account of a token; undefined when the token is unknown, expired or revoked, or
 * its owner is disabled.
 */
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

/** The credential of a token that its owner still has; undefined where it was revoked or has expired. */
export async function findValidCredential(
  tokens: TokenContext,
  identity: string,
  owner: Account,
): Promise<TokenCredential | undefined> {
  const { resource, store } = tokens
  const row = await findRow(store, resource, identity)
  if (!row || !isUnexpired(tokens, row)) return undefined
  if (readField(resource, row, 'passwordMark') !== owner.passwordMark) return undefined
  return credentialOf(resource, row)
}

type TokenCredential = ReturnType<typeof credentialOf>

/** The revisions of both tables as one text; undefined when the store counts none. */
async function loadRevisions({ resource, accounts, store }: TokenContext): Promise<string | undefined> {
  const token = await store.revision(resource.name)
  const account = await store.revision(accounts.resource.name)
  return token === undefined || account === undefined ? undefined : `${token} ${account}`
}

function isFresh({ now }: TokenContext, { revisions, at, until }: CachedToken, current: string): boolean {
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
  const cache = cachedTokens(tokens)
  const row = await findRow(store, resource, value, 'token')
  if (!row || !isUnexpired(tokens, row)) return undefined
  const owner = await findRow(store, accounts.resource, readField(resource, row, 'owner') as string)
  if (!owner) return undefined
  const at = tokens.now()
  const day = Math.floor(at / 86_400_000)
  const until = expiryOf(tokens, row)
  const state = `${day} ${row[IDENTITY]} ${row[VERSION]} ${owner[IDENTITY]} ${owner[VERSION]}`
  if (known?.state === state) {
    cache.set(value, { ...known, revisions, at })
    return known.account
  }
  const ownerAccount = accountFromRow(accounts, owner)
  if (ownerAccount?.passwordMark !== readField(resource, row, 'passwordMark')) return undefined
  await recordUse(tokens, row)
  const credential = credentialOf(resource, row)
  const account = { ...ownerAccount, roles: credential.roles ?? ownerAccount.roles, credential }
  if (cache.size >= maxCachedTokens) cache.clear()
  cache.set(value, { state, account, revisions, at, until })
  return account
}

/** The account of a token, valid for one day and one version of the rows of token and owner. */
interface CachedToken {
  readonly state: string
  readonly account: Account
  /** The revisions of both tables before the rows were loaded. */
  readonly revisions: string | undefined
  /** When the rows were loaded, in milliseconds since 1970. */
  readonly at: number
  /** When the token expires, in milliseconds since 1970. */
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
    provider: (readField(resource, row, 'provider') as string | null) ?? undefined,
    expiresAt: readField(resource, row, 'expiresAt') as string,
  } as const
}

function readSet(resource: ResourceModel, row: Row, name: string): ReadonlySet<string> | undefined {
  const stored = readField(resource, row, name)
  if (stored === null) return undefined
  const value = resource.fieldByName.get(name)?.decode(stored)
  return new Set(Array.isArray(value) ? value.map(String) : [])
}

/**
 * Writes the day of use, at most once a day, as a new version of the token (RFC 9110 §8.8.1). A full
 * disk is only reported, so that callers can still read.
 */
async function recordUse({ resource, store, now, observe }: TokenContext, row: Row): Promise<void> {
  const at = new Date(now()).toISOString()
  const day = at.slice(0, 10)
  if (readField(resource, row, 'lastUsedOn') === day) return
  const write = updateFields(resource, row, at, { lastUsedOn: day })
  const actor = { account: String(readField(resource, row, 'owner')), token: String(row[IDENTITY]) }
  try {
    await store.write([write], { actor })
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    observe({ kind: 'store-unavailable', reason: error.reason, cause: error })
  }
}
