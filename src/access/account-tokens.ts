/** Tokens: creating them, renewing those of sessions, and the limit for each account. */

import { randomUUIDv7 } from 'node:crypto'
import {
  type AccountsModel,
  IDENTITY,
  type JsonValue,
  type ResourceModel,
  type Stored,
} from '../definition/model.ts'
import { tokensTable } from '../definition/tokens-resource.ts'
import type { Observer } from '../observation.ts'
import type { Actor } from '../store/change-log.ts'
import { all, any, type Condition, compares, equals, not } from '../store/condition.ts'
import { deleteRow, updateFields } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import { findRow, listRows } from '../store/table-rows.ts'
import type { DeleteWrite, UpdateWrite } from '../store/write.ts'
import { fullRefusal, hasRoom } from './most-per-account.ts'
import type { Account, Principal } from './principal.ts'
import { createSecretToken, sha256 } from './secret-token.ts'

/** In seconds. */
export const defaultTokenLifetime = 90 * 86_400
/** All tokens that an account can have. */
const maxTokens = tokensTable.mostPerAccount.count

export interface TokenContext {
  readonly resource: ResourceModel
  readonly accounts: AccountsModel
  readonly store: Store
  readonly now: () => number
  readonly observe: Observer
}

/** Returns the write that binds the token of a session to a new password; none when it was deleted. */
export async function rebindSessionToken(
  { resource, store, now }: TokenContext,
  { credential }: Account,
  passwordHash: string,
): Promise<readonly UpdateWrite[]> {
  if (credential.kind !== 'token') return []
  const value = credential.identity
  const row = await findRow(store, resource, value)
  if (!row) return []
  const at = new Date(now()).toISOString()
  return [updateFields(resource, row, at, { passwordMark: sha256(passwordHash) })]
}

export interface NewToken {
  readonly owner: Account
  readonly name: string | undefined
  readonly scopes: readonly string[]
  /** The identity of the token that it is made with; it is deleted with that one. */
  readonly madeWith?: string | null
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
  /** Set when the token is created by signing in on an HTML page. */
  readonly session?: true
  /** The provider that the person signed in with. */
  readonly provider?: string | undefined
}

export interface CreatedToken {
  /** Shown once; only its digest is stored. */
  readonly secret: string
  readonly identity: string
  /** The row to insert. */
  readonly values: readonly Stored[]
}

/**
 * Returns a new token and its row. The row is bound to the password that the caller has proved, so
 * the token is void once the password changes.
 */
export function createApiToken({ resource, now }: TokenContext, token: NewToken): CreatedToken {
  const secret = createSecretToken()
  const identity = randomUUIDv7()
  const at = new Date(now()).toISOString()
  const encoded: Readonly<Record<string, JsonValue | undefined>> = {
    name: token.name,
    scopes: token.scopes,
    expiresAt: new Date(token.expiresAt).toISOString(),
    roles: limitedRoles(token.owner),
    session: token.session,
    provider: token.provider,
  }
  const stored: Readonly<Record<string, Stored>> = {
    owner: token.owner.identity,
    token: sha256(secret),
    passwordMark: token.owner.passwordMark,
    madeWith: token.madeWith ?? null,
  }
  const fields = resource.fields.map((field) => {
    const value = encoded[field.name]
    return value === undefined ? (stored[field.name] ?? null) : field.encode(value)
  })
  return { secret, identity, values: [identity, 1, at, at, ...fields] }
}

/** A token created with a JWT or another token has no more roles than that credential. */
function limitedRoles({ credential }: Account): readonly string[] | undefined {
  if (credential.kind === 'password' || !credential.roles) return undefined
  return [...credential.roles]
}

/** The writes that end the sessions of the account, except the one that the caller uses. */
export async function endOtherSessions(
  { resource, store, now }: TokenContext,
  account: string,
  caller: Principal,
): Promise<readonly DeleteWrite[]> {
  const own = caller.kind === 'account' && caller.credential.kind === 'token' ? caller.credential : undefined
  const condition = all([equals(['owner'], account), equals(['session'], 1)])
  const sessions = await listRows(store, resource, { condition, limit: maxTokens })
  const at = new Date(now()).toISOString()
  const ended = sessions.filter((row) => row[IDENTITY] !== own?.identity)
  return ended.map((row) => deleteRow(resource, row, at))
}

/** The actor of the change log for tokens that are deleted because they can no longer be used. */
const expiry: Actor = { name: 'expired tokens' }

/** Deletes the expired and revoked tokens of the owner, then returns whether it may have another. */
export async function makeRoomForToken(tokens: TokenContext, owner: Account): Promise<boolean> {
  const { resource, store, now } = tokens
  const condition = all([equals(['owner'], owner.identity), expiredOrRevoked(owner, now())])
  const unusable = await listRows(store, resource, { condition, limit: maxTokens })
  const at = new Date(now()).toISOString()
  // Another request may have removed some of them already.
  for (const row of unusable) await store.write([deleteRow(resource, row, at)], { actor: expiry })
  return hasRoomForToken(tokens, owner)
}

/** Whether the owner may have another token; expired and revoked ones do not count. */
async function hasRoomForToken({ resource, store, now }: TokenContext, owner: Account): Promise<boolean> {
  const only = not(expiredOrRevoked(owner, now()))
  return hasRoom(store, { resource, account: owner.identity, only })
}

/** Refuses 403 an account that may have no other token. A dry run deletes none. */
export async function requireRoomForToken(
  tokens: TokenContext,
  owner: Account,
  { isDryRun }: { readonly isDryRun?: boolean } = {},
): Promise<void> {
  const makeRoom = isDryRun ? hasRoomForToken : makeRoomForToken
  if (!(await makeRoom(tokens, owner))) throw fullRefusal(tokensTable.mostPerAccount)
}

function expiredOrRevoked(owner: Account, now: number): Condition {
  return any([
    compares(['expiresAt'], 'lte', new Date(now).toISOString()),
    compares(['passwordMark'], 'ne', owner.passwordMark),
  ])
}
