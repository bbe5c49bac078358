/** The Basic scheme (RFC 7617): login and password of an account, verified on every request; and the verification itself. */

import { createHmac, randomBytes } from 'node:crypto'
import { type AccountsModel, IDENTITY, type Stored, VERSION } from '../definition/model.ts'
import { type BasicCredentials, parseBasic } from '../http/authorization.ts'
import { clientNetwork } from '../http/ip-network.ts'
import type { Peer } from '../http/message.ts'
import type { RunInTurn } from '../limits/fair-queue.ts'
import type { SignInAttempts } from '../limits/sign-in-attempts.ts'
import type { Row } from '../store/row.ts'
import type { Store } from '../store/store.ts'
import { findRow } from '../store/table-rows.ts'
import { type AuthenticationScheme, InsufficientCredentials } from './authenticate.ts'
import type { RecordFailure } from './failed-sign-ins.ts'
import {
  createHashOfNone,
  isPasswordHash,
  type PasswordCost,
  signInHashQueue,
  verifyPassword,
} from './password.ts'
import type { Account } from './principal.ts'
import { sha256 } from './secret-token.ts'

interface LoginOptions {
  readonly accounts: AccountsModel
  readonly store: Store
  readonly now: () => number
  readonly signInAttempts: SignInAttempts
  /** The cost of new password hashes. */
  readonly passwordCost: PasswordCost
  readonly recordFailure: RecordFailure
}

/** The account with this login and password; undefined where they are wrong, or the account is disabled. */
export type VerifyLogin = (given: BasicCredentials, client: Peer) => Promise<Account | undefined>

/** Returns the verification. An unknown login takes as long as a wrong password and has the same result. */
export function createLoginVerifier({
  accounts,
  store,
  now,
  signInAttempts,
  passwordCost,
  recordFailure,
}: LoginOptions): VerifyLogin {
  const cache = createPasswordCache(now)
  const verify = createSharedVerifier(passwordCost)
  return async (given, client) => {
    const row = await findAccountRow(accounts, store, given.login)
    const name = cache.keyOf(given.login, given.password)
    const state = row && rowVersionKey(row)
    if (!cache.has(name, state)) {
      const login = accounts.login.encode(given.login) ?? given.login
      const passes = await signInAttempts.guard(String(login), client.address, async () => {
        // A request with the same password may have been verified while this one waited.
        if (cache.has(name, state)) return true
        // The address is part of the key, so that others cannot take the places of the owner.
        const caller = `${clientNetwork(client.address)} ${login}`
        const inTurn = signInHashQueue.turnFor({ address: client.address, caller })
        const right = await verify(name, given.password, row?.[accounts.password.index], inTurn)
        return right && row !== undefined && !isDisabled(accounts, row)
      })
      if (!passes) {
        recordFailure(String(login), row)
        return undefined
      }
      cache.add(name, state)
    }
    return row && accountFromRow(accounts, row)
  }
}

/** Returns the scheme. It refuses accounts with a second factor, which a password alone does not prove. */
export function createBasicScheme(
  verifyLogin: VerifyLogin,
  hasSecondFactor: (account: string) => Promise<boolean>,
): AuthenticationScheme {
  return {
    name: 'Basic',
    invalid: {},
    async authenticate(credentials, client) {
      const given = parseBasic(credentials)
      const account = given && (await verifyLogin(given, client))
      if (account && (await hasSecondFactor(account.identity)))
        throw new InsufficientCredentials(basicRefusal)
      return account
    },
  }
}

const basicRefusal =
  'Your account has a second factor, so its password alone is not enough. Sign in on the HTML pages, create a token there, and send it with the Bearer scheme.'

/** Includes the identity, because another account with the same version may take over a login. */
function rowVersionKey(row: Row): string {
  return `${row[IDENTITY]} ${row[VERSION]}`
}

const maxCacheAge = 60_000
const maxCachedPasswords = 10_000

/**
 * Caches verified passwords for a minute under a keyed hash. An entry is valid only for the account
 * and the version that the password was verified with.
 */
function createPasswordCache(now: () => number) {
  const key = randomBytes(32)
  const verified = new Map<string, { readonly state: string; readonly until: number }>()
  return {
    keyOf: (login: string, password: string) =>
      createHmac('sha256', key).update(`${login.length}:${login}${password}`).digest('base64'),
    has(name: string, state: string | undefined): boolean {
      const known = verified.get(name)
      if (known && known.until > now() && known.state === state) return true
      verified.delete(name)
      return false
    },
    add(name: string, state: string | undefined): void {
      if (state === undefined) return
      if (verified.size >= maxCachedPasswords) verified.delete(verified.keys().next().value as string)
      verified.set(name, { state, until: now() + maxCacheAge })
    },
  }
}

/** Concurrent requests with the same credentials share one verification. */
function createSharedVerifier(passwordCost: PasswordCost) {
  // For logins that do not exist and accounts without a password: refusing them takes as long as a wrong one.
  const dummyHash = createHashOfNone(passwordCost)
  const checking = new Map<string, Promise<boolean>>()
  return (
    name: string,
    password: string,
    stored: Stored | undefined,
    inTurn: RunInTurn,
  ): Promise<boolean> => {
    const hash = isPasswordHash(stored) ? stored : dummyHash
    const key = `${name} ${hash}`
    let check = checking.get(key)
    if (!check) {
      check = verifyPassword(password, hash, inTurn).finally(() => checking.delete(key))
      checking.set(key, check)
    }
    return check
  }
}

/** Returns the row of the account with this login, or undefined. */
export function findAccountRow(accounts: AccountsModel, store: Store, login: string) {
  const { resource, login: field } = accounts
  const value = field.encode(login)
  if (value === null) return undefined
  return findRow(store, resource, value, field.name)
}

/** Whether all credentials of the account are refused. */
export function isDisabled({ disabled }: AccountsModel, row: Row): boolean {
  return Number(row[disabled.index]) === 1
}

/** Returns the account of a row, as a caller who has proved its password; undefined when it is disabled. */
export function accountFromRow(accounts: AccountsModel, row: Row): Account | undefined {
  if (isDisabled(accounts, row)) return undefined
  return {
    kind: 'account',
    identity: row[IDENTITY] as string,
    roles: rolesFromRow(accounts, row),
    // Changes with every new password, because each hash has its own salt.
    passwordMark: sha256(String(row[accounts.password.index])),
    credential: { kind: 'password' },
  }
}

/** The account with this identity and its row; undefined where it is gone or disabled. */
export async function findAccount(
  accounts: AccountsModel,
  store: Store,
  identity: string,
): Promise<{ readonly row: Row; readonly account: Account } | undefined> {
  const row = await findRow(store, accounts.resource, identity)
  const account = row && accountFromRow(accounts, row)
  return row && account && { row, account }
}

export function rolesFromRow({ roles }: AccountsModel, row: Row): ReadonlySet<string> {
  const stored = roles ? row[roles.index] : null
  const shown = stored === null || stored === undefined ? [] : roles?.decode(stored)
  return new Set(Array.isArray(shown) ? shown.map(String) : [String(shown)])
}
