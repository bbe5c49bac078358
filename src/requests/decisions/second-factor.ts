/** Accounts whose role requires a second factor can only register one, until they have it. */

import { credentialsOf, hasSecondFactor, needsSecondFactor } from '../../access/credentials.ts'
import { isSession, type Principal } from '../../access/principal.ts'
import { credentialsRelation } from '../../definition/credentials-resource.ts'
import { IDENTITY, type Model } from '../../definition/model.ts'
import { html } from '../../formats/html.ts'
import type { HttpRequest } from '../../http/message.ts'
import { formatPath } from '../../http/request-target.ts'
import { type Refusal, refuse } from '../../refusal.ts'
import { findRow } from '../../store/table-rows.ts'
import { itemUri } from '../../views/uri.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Target } from '../context/target.ts'
import { seeOther } from '../respond/early-response.ts'
import { negotiateProblem } from '../respond/offered-formats.ts'

/**
 * Refuses 403 a caller who has proved only a password and must have a second factor; redirects pages with 303 to where
 * it is registered. The target is undefined where another program has it.
 */
export async function requireSecondFactor(
  service: ServiceContext,
  caller: Principal,
  target: Target | undefined,
  { method, fields }: Pick<HttpRequest, 'method' | 'fields'>,
): Promise<void> {
  const uri = await findMissingSecondFactor(service, caller, target)
  if (uri === undefined) return
  const isRead = method === 'GET' || method === 'HEAD'
  if (isRead && negotiateProblem(target, fields.accept) === html) throw seeOther(uri)
  throw missingSecondFactor(uri)
}

/** The 403 of a caller who must register a second factor at this URI. */
export function missingSecondFactor(uri: string): Refusal {
  return refuse('forbidden', {
    detail: `Your role requires a second factor. Register an authenticator at ${uri}, and confirm it.`,
  })
}

/**
 * The URI where the caller must register a second factor; undefined where it need not, or has one. Tokens keep working:
 * they were made with all factors of their time.
 */
export async function findMissingSecondFactor(
  { model, store }: Pick<ServiceContext, 'model' | 'store'>,
  caller: Principal,
  target: Target | undefined,
): Promise<string | undefined> {
  const { accounts } = model
  if (!accounts || accounts.secondFactor.size === 0 || caller.kind !== 'account') return undefined
  const isPassword = caller.credential.kind === 'password' || isSession(caller)
  if (!isPassword || !needsSecondFactor(accounts, caller.roles)) return undefined
  const { resource } = accounts
  const { identity } = caller
  const row = await findRow(store, resource, identity)
  if (!row) return undefined
  if (target && isOwnCredentials(target, model, String(row[resource.keyField?.index ?? IDENTITY])))
    return undefined
  if (await hasSecondFactor(model, store, identity)) return undefined
  return formatPath(itemUri(model, resource, row), [credentialsRelation])
}

/** Whether the target is the caller's own credentials, or one of them. */
function isOwnCredentials(target: Target, model: Model, id: string): boolean {
  const above =
    target.kind === 'collection' ? target.parent : target.kind === 'item' ? target.within : undefined
  if (above?.resource !== model.accounts?.resource || above?.id !== id) return false
  return above.relation.target === credentialsOf(model)
}
