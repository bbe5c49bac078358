/** The Basic scheme (RFC 7617): login and password of an account, checked on every request. */

import { createHmac, randomBytes } from 'node:crypto'
import type { AccountsModel, Stored } from '../declare/model.ts'
import { IDENTITY, VERSION } from '../declare/model.ts'
import { parseBasic } from '../http/authorization.ts'
import type { Row, Store } from '../store/store.ts'
import type { Scheme } from './authenticate.ts'
import { noPassword, verifyPassword } from './password.ts'
import type { Account } from './principal.ts'

const rememberedFor = 60_000
const rememberedAtMost = 10_000

/**
 * A verified password is remembered for a minute under a keyed hash, and believed only while the
 * account is still in the version it was verified against.
 */
export function basicScheme(accounts: AccountsModel, store: Store, now: () => number): Scheme {
  const key = randomBytes(32)
  const verified = new Map<string, Verified>()
  const checking = new Map<string, Promise<boolean>>()

  /** Requests that arrive together with the same credentials share one hash. */
  async function isRight(name: string, password: string, stored: Stored | undefined) {
    const hash = typeof stored === 'string' ? stored : noPassword
    const same = `${name} ${hash}`
    let check = checking.get(same)
    if (!check) {
      check = verifyPassword(password, hash).finally(() => checking.delete(same))
      checking.set(same, check)
    }
    return check
  }

  async function passes(row: Row | undefined, login: string, password: string): Promise<boolean> {
    const name = createHmac('sha256', key)
      .update(`${login.length}:${login}${password}`)
      .digest('base64')
    const earlier = verified.get(name)
    if (earlier && earlier.until > now() && isOf(earlier, row)) return true
    verified.delete(name)
    const right = await isRight(name, password, row?.[accounts.password.at])
    if (!right || !row) return false
    if (verified.size >= rememberedAtMost) verified.delete(verified.keys().next().value as string)
    const [identity, version] = [row[IDENTITY], row[VERSION]]
    verified.set(name, { identity, version, until: now() + rememberedFor })
    return true
  }

  return {
    name: 'Basic',
    async authenticate(credentials) {
      const basic = parseBasic(credentials)
      if (!basic) return undefined
      const row = await findAccount(accounts, store, basic.login)
      if (!(await passes(row, basic.login, basic.password))) return undefined
      return row && accountOf(accounts, row)
    },
  }
}

interface Verified {
  readonly identity: Stored | undefined
  readonly version: Stored | undefined
  readonly until: number
}

/** A login may have passed to another account since, whose versions begin anew. */
function isOf({ identity, version }: Verified, row: Row | undefined): boolean {
  return row?.[IDENTITY] === identity && row?.[VERSION] === version
}

export function findAccount(accounts: AccountsModel, store: Store, login: string) {
  const { resource, login: field } = accounts
  const value = field.encode(login)
  if (value === null) return undefined
  return store.find({ table: resource.name, column: field.name, value, asks: [] })
}

export function accountOf(accounts: AccountsModel, row: Row): Account {
  const stored = accounts.roles ? row[accounts.roles.at] : null
  const shown = stored === null || stored === undefined ? [] : accounts.roles?.decode(stored)
  const roles = new Set(Array.isArray(shown) ? shown.map(String) : [String(shown)])
  return { kind: 'account', identity: row[IDENTITY] as string, roles }
}
