/** Scopes: what a token may be used for, within the rights of its owner. */

export type Right = 'read' | 'create' | 'update' | 'delete'

/** `articles:read`, `articles:write`, `*:read` and the like. An empty set permits nothing. */
export type Scopes = ReadonlySet<string>

/** Whether one of the scopes permits it; `write` is all rights that change something. */
export function scopesPermit(scopes: Scopes, collection: string, right: Right): boolean {
  return [collection, '*'].some(
    (name) => scopes.has(`${name}:${right}`) || (right !== 'read' && scopes.has(`${name}:write`)),
  )
}

/** Whether whoever has the one set may do all that the other permits. */
export function areScopesWithin(wanted: Scopes, own: Scopes): boolean {
  return [...wanted].every((scope) => {
    const [collection = '', action = ''] = scope.split(':')
    const rights = action === 'write' ? writeRights : [action as Right]
    return rights.every((right) => scopesPermit(own, collection, right))
  })
}

const writeRights: readonly Right[] = ['create', 'update', 'delete']
