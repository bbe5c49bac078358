/** The collections and their actions, for `openService`. The code for them is loaded by the first call. */

import type { Principal } from '../../access/principal.ts'
import type { ResourceModel } from '../../definition/model.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import type { CalledAction, SystemAccess } from './system-access.ts'

const methods = ['list', 'count', 'get', 'create', 'patch', 'replace', 'remove'] as const

type SystemCall = (...args: never[]) => Promise<unknown>

/** Finds the caller whose rights a call has; undefined: it has all rights. */
type FindCaller = (() => Promise<Principal>) | undefined

/** By collection name; each method loads its code when it is called. */
export function createLazyAccess(
  service: ServiceContext,
  findCaller?: FindCaller,
): Readonly<Record<string, object>> {
  const access = findCaller && { findCaller, isProgram: true }
  const own = [...service.model.resources.values()].filter(({ declared }) => declared)
  return Object.fromEntries(own.map((resource) => [resource.name, lazyCollection(service, resource, access)]))
}

type Access = SystemAccess | undefined

function lazyCollection(service: ServiceContext, resource: ResourceModel, access: Access): object {
  const lazily =
    (name: (typeof methods)[number]): SystemCall =>
    async (...args) => {
      const { createSystemCollection } = await import('./system-access.ts')
      return (createSystemCollection(service, resource, access)[name] as SystemCall)(...args)
    }
  const actions = [...resource.actions.values()].map((action) => [
    action.name,
    lazyAction(service, { resource, action }, access),
  ])
  return Object.fromEntries([...methods.map((name) => [name, lazily(name)]), ...actions])
}

/** Called with the id of the item, unless it is on a collection, and the input. */
function lazyAction(
  service: ServiceContext,
  { resource, action }: Pick<CalledAction, 'resource' | 'action'>,
  access: Access,
) {
  return async (...args: readonly unknown[]) => {
    const { callSystemAction } = await import('./system-access.ts')
    const [id, input] = action.on === 'item' ? [String(args[0]), args[1]] : [undefined, args[0]]
    return callSystemAction(service, { resource, action, id, input }, access)
  }
}
