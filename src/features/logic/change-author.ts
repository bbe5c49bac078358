/** Who made a logged change, as code sees the author and may act for it later. */

import { accountFromRow } from '../../access/basic-scheme.ts'
import { type Account, anonymous, type Credential, type Principal } from '../../access/principal.ts'
import { findValidCredential } from '../../access/token-lookup.ts'
import type { LogicCaller } from '../../definition/logic/logic-tools.ts'
import type { Actor } from '../../store/change-log.ts'
import type { LogicContext } from './collected-run.ts'
import { describeCaller } from './hook-tools.ts'

export interface ChangeAuthor {
  readonly caller: LogicCaller
  /** Undefined where nothing can be done in its name any more: the account or its token is gone, or it is disabled. */
  readonly principal: Principal | undefined
}

/**
 * The author with its present roles. The roles of a JWT are not logged, so an external principal and an
 * account whose roles come from its issuer have none.
 */
export async function findChangeAuthor(service: LogicContext, actor: Actor = {}): Promise<ChangeAuthor> {
  const { account: identity, issuer, subject = '' } = actor
  if (identity !== undefined) return findAccountAuthor(service, identity, actor)
  const principal: Principal =
    issuer === undefined ? anonymous : { kind: 'external', issuer, subject, roles: new Set<string>() }
  return { caller: await describeCaller(service, principal), principal }
}

async function findAccountAuthor(
  service: LogicContext,
  identity: string,
  actor: Actor,
): Promise<ChangeAuthor> {
  const { model, store } = service
  const { accounts } = model
  const table = accounts?.resource.name
  const row = table && (await store.find({ table, column: '_identity', value: identity, evaluated: [] }))
  const account = row && accountFromRow(accounts, row)
  if (!account) return { caller: { kind: 'account', id: identity, roles: [] }, principal: undefined }
  const credential = await findCredential(service, account, actor)
  const roles = (credential && 'roles' in credential ? credential.roles : undefined) ?? account.roles
  const principal = credential && { ...account, credential, roles }
  return { caller: await describeCaller(service, principal ?? account), principal }
}

/** The credential of the change; undefined where it is not valid any more. */
async function findCredential(
  { model, store, clock, observe }: LogicContext,
  account: Account,
  { token, issuer, subject = '' }: Actor,
): Promise<Credential | undefined> {
  const { accounts, tokens: resource, issuers } = model
  if (token !== undefined) {
    if (!accounts || !resource) return undefined
    return findValidCredential({ resource, accounts, store, now: clock.now, observe }, token, account)
  }
  if (issuer === undefined) return account.credential
  const hasOwnRoles = issuers.some((one) => one.issuer === issuer && one.roles !== undefined)
  const roles = hasOwnRoles ? new Set<string>() : undefined
  return { kind: 'jwt', issuer, subject, roles, expiresAt: '' }
}
