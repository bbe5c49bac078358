/** Sessions of HTML pages: a token in a cookie, for an account whose credentials were right. */

import { createApiToken, requireRoomForToken, type TokenContext } from '../../access/account-tokens.ts'
import { hasSecondFactor, needsSecondFactor, stillWithoutSecondFactor } from '../../access/credentials.ts'
import { type Account, actorOf } from '../../access/principal.ts'
import { sessionExpiry } from '../../access/recent-sign-in.ts'
import { formatSessionCookie } from '../../access/session-cookie.ts'
import { credentialsRelation } from '../../definition/credentials-resource.ts'
import { allScopes, sessionName } from '../../definition/tokens-resource.ts'
import type { HttpRequest } from '../../http/message.ts'
import { formatPath } from '../../http/request-target.ts'
import { refuse } from '../../refusal.ts'
import { accountsOf, type ServiceContext } from '../../requests/context/service-context.ts'
import type { LeadingForm } from '../../requests/context/target.ts'
import type { RecordWrite } from '../../store/audit-chain.ts'
import { always } from '../../store/condition.ts'
import { findRow } from '../../store/table-rows.ts'
import type { Write, WriteOutcome } from '../../store/write.ts'
import { idOf, referenceUri } from '../../views/uri.ts'
import { beginSecondStep, type FirstFactor } from './pending-sign-in.ts'

/**
 * Leads an account that has proved its first factor to the second step where it has a second factor, to its credentials
 * where it must have one, else to `next` with a session.
 */
export async function finishFirstFactor(
  service: ServiceContext,
  request: HttpRequest,
  proven: FirstFactor,
  next: string,
): Promise<LeadingForm> {
  const { account } = proven
  const { model, store } = service
  if (!model.accounts) throw new Error('Signing in needs accounts')
  if (await hasSecondFactor(model, store, account.identity)) {
    return beginSecondStep(service, request, proven, next)
  }
  const { resource } = accountsOf(service).credentials
  const guards = [stillWithoutSecondFactor(resource, account.identity), proven.guard ?? []].flat()
  const { secret, written } = await writeSession(service, request, proven, guards)
  // The account was deleted, or its password or second factor changed, after it was verified.
  if (written.kind !== 'done') {
    throw refuse('unauthenticated', { detail: 'The account has just changed. Sign in again.' })
  }
  const isIncomplete = needsSecondFactor(model.accounts, account.roles)
  return {
    next: isIncomplete ? await ownCredentialsUri(service, account) : next,
    fields: { 'Set-Cookie': formatSessionCookie(request.client, secret) },
  }
}

export interface WrittenSession {
  /** The token for the cookie. */
  readonly secret: string
  readonly written: WriteOutcome
}

/** Writes a session with its entry in the audit, after other writes in the same transaction. */
export async function writeSession(
  service: ServiceContext,
  { id: request }: HttpRequest,
  { account: owner, provider }: FirstFactor,
  before: readonly Write[],
): Promise<WrittenSession> {
  const { store, clock } = service
  const { tokens } = accountsOf(service)
  await requireRoomForToken(tokens, owner)
  const now = clock.now()
  const newToken = {
    owner,
    name: sessionName,
    scopes: allScopes,
    expiresAt: sessionExpiry(provider ? provider.authenticatedAt : now, now),
    session: true,
    provider: provider?.name,
  } as const
  const { secret, values } = createApiToken(tokens, newToken)
  const insertion = { kind: 'insert', table: tokens.resource.name, values, conditionAfter: always } as const
  const { identity } = owner
  const record: RecordWrite = {
    kind: 'record',
    event: 'signed-in',
    table: tokens.accounts.resource.name,
    identity,
    id: await idOfAccount(tokens, identity),
    at: new Date(now).toISOString(),
  }
  const written = await store.write([...before, insertion, record], { actor: actorOf(owner), request })
  return { secret, written }
}

/** The URI of the credentials of the account. */
export async function ownCredentialsUri(service: ServiceContext, { identity }: Account): Promise<string> {
  const { tokens } = accountsOf(service)
  const { resource } = tokens.accounts
  return formatPath(referenceUri(service.model, resource, await idOfAccount(tokens, identity)), [
    credentialsRelation,
  ])
}

/** The last segment of the account's URI. */
async function idOfAccount({ accounts, store }: TokenContext, identity: string): Promise<string> {
  const row = await findRow(store, accounts.resource, identity)
  return row ? idOf(accounts.resource, row) : identity
}
