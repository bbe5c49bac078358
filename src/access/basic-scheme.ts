/** The Basic scheme (RFC 7617): login and password of an account, checked on every request. */

import { createHmac, randomBytes } from 'node:crypto'
import { type AccountsModel, IDENTITY, type Stored, VERSION } from '../definition/model.ts'
import { parseBasic } from '../http/authorization.ts'
import { clientNetwork } from '../http/ip-network.ts'
import type { Row } from '../store/row.ts'
import type { Store } from '../store/store.ts'
import type { Scheme } from './authenticate.ts'
import type { RunInTurn } from './hash-queue.ts'
import { noPassword, signInHashes, verifyPassword } from './password.ts'
import type { Account } from './principal.ts'
import { digestOf } from './secret-token.ts'
import type { SignInAttempts } from './sign-in-attempts.ts'

export interface BasicOptions {
  readonly accounts: AccountsModel
  readonly store: Store
  readonly now: () => number
  readonly attempts: SignInAttempts
}

/** An unknown login takes the same way as a wrong password, to the same answer. */
export function basicScheme({ accounts, store, now, attempts }: BasicOptions): Scheme {
  const remembered = rememberedPasswords(now)
  const isRight = sharedChecks()
  return {
    name: 'Basic',
    invalid: {},
    async authenticate(credentials, peer) {
      const basic = parseBasic(credentials)
      if (!basic) return undefined
      const row = await findAccount(accounts, store, basic.login)
      const name = remembered.nameOf(basic.login, basic.password)
      const state = row && stateOf(row)
      if (!remembered.has(name, state)) {
        const login = accounts.login.encode(basic.login) ?? basic.login
        const passes = await attempts.guard(String(login), peer.address, async () => {
          // Whoever waited may find that another request has shown the password to be right.
          if (remembered.has(name, state)) return true
          // Within the address: anyone may name this login, and must not take its owner's places.
          const caller = `${clientNetwork(peer.address)} ${login}`
          const inTurn = signInHashes.turnFor({ address: peer.address, caller })
          const right = await isRight(name, basic.password, row?.[accounts.password.at], inTurn)
          return right && state !== undefined
        })
        if (!passes) return undefined
        remembered.add(name, state)
      }
      return row && accountOf(accounts, row)
    },
  }
}

/** The identity as well: a login may be taken over by an account in the same version. */
function stateOf(row: Row): string {
  return `${row[IDENTITY]} ${row[VERSION]}`
}

const rememberedFor = 60_000
const rememberedAtMost = 10_000

/**
 * A verified password is remembered for a minute under a keyed hash, and believed only while the
 * account is still the one, in the version, that it was verified against.
 */
function rememberedPasswords(now: () => number) {
  const key = randomBytes(32)
  const verified = new Map<string, { readonly state: string; readonly until: number }>()
  return {
    nameOf: (login: string, password: string) =>
      createHmac('sha256', key).update(`${login.length}:${login}${password}`).digest('base64'),
    has(name: string, state: string | undefined): boolean {
      const known = verified.get(name)
      if (known && known.until > now() && known.state === state) return true
      verified.delete(name)
      return false
    },
    add(name: string, state: string | undefined): void {
      if (state === undefined) return
      if (verified.size >= rememberedAtMost) verified.delete(verified.keys().next().value as string)
      verified.set(name, { state, until: now() + rememberedFor })
    },
  }
}

/** Requests that arrive together with the same credentials share one hash. */
function sharedChecks() {
  const checking = new Map<string, Promise<boolean>>()
  return (
    name: string,
    password: string,
    stored: Stored | undefined,
    inTurn: RunInTurn,
  ): Promise<boolean> => {
    const hash = typeof stored === 'string' ? stored : noPassword
    const same = `${name} ${hash}`
    let check = checking.get(same)
    if (!check) {
      check = verifyPassword(password, hash, inTurn).finally(() => checking.delete(same))
      checking.set(same, check)
    }
    return check
  }
}

export function findAccount(accounts: AccountsModel, store: Store, login: string) {
  const { resource, login: field } = accounts
  const value = field.encode(login)
  if (value === null) return undefined
  return store.find({ table: resource.name, column: field.name, value, evaluate: [] })
}

export function accountOf(accounts: AccountsModel, row: Row): Account {
  return {
    kind: 'account',
    identity: row[IDENTITY] as string,
    roles: rolesOf(accounts, row),
    // A hash has a new salt whenever the password is changed.
    passwordMark: digestOf(String(row[accounts.password.at])),
    credential: { kind: 'password' },
  }
}

export function rolesOf({ roles }: AccountsModel, row: Row): ReadonlySet<string> {
  const stored = roles ? row[roles.at] : null
  const shown = stored === null || stored === undefined ? [] : roles?.decode(stored)
  return new Set(Array.isArray(shown) ? shown.map(String) : [String(shown)])
}
