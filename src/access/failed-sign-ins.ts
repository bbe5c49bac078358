/**
 * Records failed sign-ins for the audit. Their number is bounded: one for each login in a minute, and
 * 60 in all, so that requests of unknown callers cannot fill the database.
 */

import { createHmac } from 'node:crypto'
import { IDENTITY } from '../definition/model.ts'
import type { Row } from '../store/row.ts'
import type { Store } from '../store/store.ts'
import type { TokenContext } from './account-tokens.ts'

type FailedSignInOptions = Pick<TokenContext, 'accounts' | 'store' | 'now' | 'observe'>

const window = 60_000
const maxInWindow = 60

/** Records a failure, with the row of the account that the login names. */
export type RecordFailure = (login: string, row: Row | undefined) => void

/** A function that records a failure. A login without an account is stored only as a keyed hash. */
export function createFailedSignIns(options: FailedSignInOptions): RecordFailure {
  const { accounts, store, now, observe } = options
  let seen = new Set<string>()
  let until = 0

  async function record(login: string, row: Row | undefined): Promise<void> {
    const identity = row ? String(row[IDENTITY]) : ''
    const keyField = accounts.resource.keyField
    const id = row ? String(row[keyField?.index ?? IDENTITY]) : await hashLogin(store, login)
    const at = new Date(now()).toISOString()
    const { name: table } = accounts.resource
    await store.write([{ kind: 'record', event: 'sign-in-failed', table, identity, id, at }], { actor: {} })
  }

  return (login, row) => {
    if (now() >= until) [seen, until] = [new Set(), now() + window]
    if (seen.size >= maxInWindow || seen.has(login)) return
    seen.add(login)
    record(login, row).catch((cause) => observe({ kind: 'task-failed', task: 'audit', cause }))
  }
}

async function hashLogin(store: Store, login: string): Promise<string> {
  const key = await store.loadSecret('unknown-logins')
  return `unknown-${createHmac('sha256', key).update(login).digest('base64url')}`
}
