/** Scopes: what a token may be used for, within the rights of its owner. */

import type { ResourceModel } from '../definition/model.ts'
import { parentFieldOf } from '../definition/nested-resources.ts'

export type Right = 'read' | 'create' | 'update' | 'delete'

/** Such as `articles:read`, `articles:write` and `*:read`. An empty set permits nothing. */
export type Scopes = ReadonlySet<string>

/** Whether one of the scopes permits the right; `write` includes create, update and delete. */
export function scopesPermit(scopes: Scopes, collection: string, right: Right): boolean {
  return [collection, '*'].some(
    (name) => scopes.has(`${name}:${right}`) || (right !== 'read' && scopes.has(`${name}:write`)),
  )
}

/** The name of the resource in scopes: deliveries are part of webhooks, credentials of accounts. */
export function scopeNameOf(resource: Pick<ResourceModel, 'name' | 'traits' | 'fieldByName'>): string {
  return parentFieldOf(resource)?.ref?.resource.name ?? resource.name
}

/** Whether one of the scopes permits to give roles: `users:grant`, or `*:write`, which permits all that the owner may do. */
export function scopesPermitGrant(scopes: Scopes, accounts: string): boolean {
  return scopes.has(`${accounts}:grant`) || scopes.has(everyWrite)
}

const everyWrite = '*:write'

/** Whether the scopes `own` permit everything that the scopes `wanted` permit. */
export function areScopesWithin(wanted: Scopes, own: Scopes): boolean {
  return [...wanted].every((scope) => {
    const [collection = '', action = ''] = scope.split(':')
    if (action === 'grant') return scopesPermitGrant(own, collection)
    if (scope === everyWrite) return own.has(everyWrite)
    const rights = action === 'write' ? writeRights : [action as Right]
    return rights.every((right) => scopesPermit(own, collection, right))
  })
}

const writeRights: readonly Right[] = ['create', 'update', 'delete']
