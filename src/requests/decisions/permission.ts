/** Permission as far as it can be decided before anything is loaded: 401 and 403. */

import { callerRefusal, insufficientScope, requireAdmin } from '../../access/access-refusal.ts'
import { findBasisRefusal } from '../../access/credential-basis.ts'
import { type Principal, scopesOf } from '../../access/principal.ts'
import { type NeededRight, rightRefusal } from '../../access/right-refusal.ts'
import { actionRight, type Rights, rightsOf } from '../../access/rights.ts'
import { type Right, scopeNameOf, scopesPermit } from '../../access/scopes.ts'
import { hasSessionCookie } from '../../access/session-cookie.ts'
import { subCollectionRights } from '../../access/sub-collection-rights.ts'
import type { Model, ResourceModel } from '../../definition/model.ts'
import type { HttpRequest } from '../../http/message.ts'
import { type Method, safeMethods } from '../../http/method.ts'
import { isCrossOrigin } from '../../http/origin.ts'
import { refuse } from '../../refusal.ts'
import { any, type Condition, never } from '../../store/condition.ts'
import { createsAtUri, operationOf, type TargetMethod } from '../context/operation-of.ts'
import type { OperationFacts } from '../context/operations.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Document, ParentTarget, Target } from '../context/target.ts'

/** Refuses 401 or 403 when no row could permit the method to the caller. */
export function requirePermission(model: Model, caller: Principal, method: Method, target: Target): void {
  if (target.kind === 'asterisk') return
  if (target.kind === 'document') {
    if (target.document.audience === 'admin') requireAdmin(model, caller, target.route.slice(1))
    if (target.item) requireItemDocumentPermission(target.document, target.item.resource, caller)
    if (target.collection) requirePermission(model, caller, 'POST', target.collection)
    return
  }
  if (target.kind === 'collection' && target.parent) {
    requirePermissionWithin(target.parent, caller, operationOf({ target, method }))
    return
  }
  if (target.kind === 'item' && target.within) requireReadable(target.within.resource, caller)
  if (target.kind === 'action' && target.action.on === 'item') requireReadable(target.resource, caller)
  const rights = rightsOf(target.resource, caller)
  const right = conditionOf({ target, method }, rights)
  const operation = operationOf({ target, method })
  // Whether the PUT replaces an item or creates one is not known yet.
  const mayCreate = createsAtUri(operation, target.resource)
  const allowed = mayCreate ? any([right, rights.create]) : right
  requireRight(caller, target.resource, neededRight({ target, method }), allowed)
}

/** A sub-collection needs the right to read its parent, like a GET of it, and the right to its items. */
function requirePermissionWithin(
  { resource, relation }: ParentTarget,
  caller: Principal,
  operation: OperationFacts,
): void {
  requireReadable(resource, caller)
  const name = operation.right === 'create' ? 'create' : 'read'
  requireRight(caller, relation.target, name, subCollectionRights(relation, caller)[name])
}

/** A document of an item needs the right to read the item; a history and an edit need their right too. */
function requireItemDocumentPermission(
  { showsHistory, editsItem }: Document,
  resource: ResourceModel,
  caller: Principal,
): void {
  requireReadable(resource, caller)
  const { history, update } = rightsOf(resource, caller)
  if (showsHistory && history.kind === 'never') throw callerRefusal(caller)
  if (editsItem) requireRight(caller, resource, 'update', update)
}

function requireReadable(resource: ResourceModel, caller: Principal): void {
  requireRight(caller, resource, 'read', rightsOf(resource, caller).read)
}

/** Refuses where no row can satisfy the condition of the right, before anything is loaded. */
function requireRight(
  caller: Principal,
  resource: ResourceModel,
  needed: NeededRight,
  { kind }: Condition,
): void {
  if (kind !== 'never') return
  requireScope(caller, resource, typeof needed === 'string' ? needed : actionRight(needed))
  const basis = needed === 'read' ? undefined : findBasisRefusal(resource, caller)
  throw basis ?? rightRefusal(caller, resource, needed)
}

/** Refuses 403 with the missing scope when the token is what lacks the right. */
function requireScope(caller: Principal, resource: ResourceModel, right: Right): void {
  const scopes = scopesOf(caller)
  const name = scopeNameOf(resource)
  if (scopes && !scopesPermit(scopes, name, right)) throw insufficientScope(`${name}:${right}`)
}

/** The right that the request needs, as a condition on the row. */
export function conditionOf({ target, method }: TargetMethod, rights: Rights): Condition {
  const { right } = operationOf({ target, method })
  if (target.kind === 'action') return rights.actions.get(target.action) ?? never
  return right === 'list' ? rights.list : rights[rightName(right)]
}

/** The right that the request needs, as refusals name it. */
export function neededRight({ target, method }: TargetMethod): NeededRight {
  return target.kind === 'action' ? target.action : rightName(operationOf({ target, method }).right)
}

/** The right of an operation that is no action. */
function rightName(right: OperationFacts['right']): Right {
  if (right === 'create' || right === 'update' || right === 'delete') return right
  return 'read'
}

/**
 * Refuses 403 when a page of another origin sent an unsafe request with a password or a session cookie:
 * browsers add them by themselves, so the user may not have meant the request.
 */
export function requireTrustedOrigin(
  { model }: Pick<ServiceContext, 'model'>,
  caller: Principal,
  method: string,
  request: Pick<HttpRequest, 'fields' | 'client'>,
): void {
  if (safeMethods.has(method)) return
  const hasPassword = caller.kind === 'account' && caller.credential.kind === 'password'
  // The cookie is not accepted from other origins, so the caller is anonymous.
  const hasCookie = caller.kind === 'anonymous' && hasSessionCookie(request)
  if (!hasPassword && !hasCookie) return
  const { fields, client } = request
  const arrival = { host: client.host ?? fields.host, secure: client.secure }
  if (!isCrossOrigin(model.origins, fields, arrival)) return
  throw refuse('forbidden', {
    detail: `A page of another origin sent this request with your ${hasPassword ? 'password' : 'session'}.`,
  })
}
