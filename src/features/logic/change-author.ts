/** Who made a logged change, as code sees the author and may act for it later. */

import type { TokenContext } from '../../access/account-tokens.ts'
import { findBasisAccount } from '../../access/credential-basis.ts'
import { type Account, anonymous, type Principal } from '../../access/principal.ts'
import type { Caller } from '../../definition/logic/logic-tools.ts'
import { describeCaller } from '../../requests/context/described-caller.ts'
import type { Actor } from '../../store/change-log.ts'
import type { LogicContext } from './collected-run.ts'

export interface ChangeAuthor {
  readonly caller: Caller
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
  const tokens = tokenContextOf(service)
  const account = tokens && (await findBasisAccount(tokens, identity, undefined))
  if (!account) return { caller: { kind: 'account', id: identity, roles: [] }, principal: undefined }
  const { token } = actor
  const basis = token === undefined ? account : await findBasisAccount(tokens, identity, token)
  const principal = basis && withJwt(service, basis, actor)
  return { caller: await describeCaller(service, principal ?? account), principal }
}

function tokenContextOf({ model, store, clock, observe }: LogicContext): TokenContext | undefined {
  const { accounts, tokens: resource } = model
  return accounts && resource && { resource, accounts, store, now: clock.now, observe }
}

/** The account as a JWT identified it; the same account where none did. */
function withJwt({ model }: LogicContext, account: Account, { issuer, subject = '' }: Actor): Account {
  if (issuer === undefined) return account
  const hasOwnRoles = model.issuers.some((one) => one.issuer === issuer && one.roles !== undefined)
  const roles = hasOwnRoles ? new Set<string>() : undefined
  const credential = { kind: 'jwt', issuer, subject, roles, expiresAt: '' } as const
  return { ...account, credential, roles: roles ?? account.roles }
}
