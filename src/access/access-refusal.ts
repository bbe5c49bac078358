/** Refuses callers without the necessary right, role or scope: 401 to the anonymous, else 403. */

import type { Model } from '../definition/model.ts'
import { formatChallenge } from '../http/authorization.ts'
import { refuse } from '../refusal.ts'
import { type Principal, scopesOf } from './principal.ts'
import { scopesPermit } from './scopes.ts'

/** Refuses every caller without the admin role, and a token without the scope `document:read`. */
export function requireAdmin(model: Model, caller: Principal, document: string): void {
  if (!model.accounts) {
    throw refuse('forbidden', {
      detail: 'Only admins may see this, and the service has no accounts.',
    })
  }
  if (!hasAdminRole(model, caller)) throw callerRefusal(caller)
  if (!hasReadScope(caller, document)) throw insufficientScope(`${document}:read`)
}

/** Whether `requireAdmin` would let the caller pass. */
export function isPermittedAdmin(model: Model, caller: Principal, document: string): boolean {
  return hasAdminRole(model, caller) && hasReadScope(caller, document)
}

/** Whether the caller has the role of administrators. */
export function hasAdminRole({ accounts }: Model, caller: Principal): boolean {
  return accounts !== undefined && caller.kind !== 'anonymous' && caller.roles.has(accounts.adminRole)
}

function hasReadScope(caller: Principal, document: string): boolean {
  const scopes = scopesOf(caller)
  return !scopes || scopesPermit(scopes, document, 'read')
}

/** Returns the refusal of a caller who may see the item and may not do this with it. */
export function callerRefusal(caller: Principal, detail = 'Your account may not do this.') {
  return caller.kind === 'anonymous'
    ? refuse('unauthenticated', { detail: 'Sign in to do this.' })
    : refuse('forbidden', { detail })
}

/** Returns the refusal of a valid token that lacks a scope (RFC 6750 §3.1). */
export function insufficientScope(scope: string) {
  const challenge = formatChallenge('Bearer', { error: 'insufficient_scope', scope })
  return refuse('forbidden', {
    detail: `Your token lacks the scope ${scope}. Create a token with this scope.`,
    fields: { 'WWW-Authenticate': challenge },
  })
}
