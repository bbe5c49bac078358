/** The collections with all rights, for `openService`. The code for them is loaded by the first call. */

import type { ActionModel, ResourceModel } from '../../definition/model.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'

const methods = ['list', 'count', 'get', 'create', 'patch', 'replace', 'remove'] as const

type SystemCall = (...args: never[]) => Promise<unknown>

/** By collection name; each method loads its code when it is called. */
export function createLazySystem(service: ServiceContext): Readonly<Record<string, object>> {
  const own = [...service.model.resources.values()].filter(({ declared }) => declared)
  return Object.fromEntries(own.map((resource) => [resource.name, lazyCollection(service, resource)]))
}

function lazyCollection(service: ServiceContext, resource: ResourceModel): object {
  const lazily =
    (name: (typeof methods)[number]): SystemCall =>
    async (...args) => {
      const { createSystemCollection } = await import('./system-access.ts')
      return (createSystemCollection(service, resource)[name] as SystemCall)(...args)
    }
  const actions = [...resource.actions.values()].map((action) => [
    action.name,
    lazyAction(service, resource, action),
  ])
  return Object.fromEntries([...methods.map((name) => [name, lazily(name)]), ...actions])
}

/** Called with the id of the item, unless it is on a collection, and the input. */
function lazyAction(service: ServiceContext, resource: ResourceModel, action: ActionModel) {
  return async (...args: readonly unknown[]) => {
    const { callSystemAction } = await import('./system-access.ts')
    const [id, input] = action.on === 'item' ? [String(args[0]), args[1]] : [undefined, args[0]]
    return callSystemAction(service, { resource, action, id, input })
  }
}
