/** The tools of programs outside of the definition. The code for them is loaded by the first call. */

import type { ResourceModel } from '../../definition/model.ts'
import type { ProgramCaller } from '../../requests/context/described-caller.ts'
import type { ServiceContext } from '../../requests/context/service-context.ts'
import { currentTimestamp } from '../../requests/write/prepare-insert.ts'
import type { GivenMail } from './mail-tool.ts'
import { refuseFrom } from './refuse-tool.ts'
import type { CalledAction, SystemAccess } from './system-access.ts'
import type { CodeTools } from './tools.ts'

const methods = ['list', 'count', 'get', 'create', 'patch', 'replace', 'remove'] as const

type SystemCall = (...args: never[]) => Promise<unknown>

/** The tools with the rights that the caller has at each call; each call of a collection is a transaction of its own. */
export function createLazyAccess(service: ServiceContext, program: ProgramCaller): object {
  const { findCaller, caller, as, ending } = program
  const access = { findCaller, isProgram: true }
  const own = [...service.model.resources.values()].filter(({ declared }) => declared)
  const transaction = async (work: (tools: CodeTools) => unknown) => {
    const { transactForProgram } = await import('./transaction.ts')
    return transactForProgram({ service, access, ending }, caller, work)
  }
  return {
    ...Object.fromEntries(own.map((resource) => [resource.name, lazyCollection(service, resource, access)])),
    ...(service.model.service && lazyActions(service, service.model.service, access)),
    as,
    caller,
    get now() {
      return currentTimestamp(service)
    },
    refuse: refuseFrom('The program'),
    requestId: undefined,
    signal: ending,
    mail: { send: (...mail: GivenMail) => transaction(({ mail: { send } }) => send(...mail)) },
    transaction,
  }
}

function lazyCollection(service: ServiceContext, resource: ResourceModel, access: SystemAccess): object {
  const lazily =
    (name: (typeof methods)[number]): SystemCall =>
    async (...args) => {
      const { createSystemCollection } = await import('./system-access.ts')
      return (createSystemCollection(service, resource, access)[name] as SystemCall)(...args)
    }
  const own = Object.fromEntries(methods.map((name) => [name, lazily(name)]))
  return { ...own, ...lazyActions(service, resource, access) }
}

function lazyActions(service: ServiceContext, resource: ResourceModel, access: SystemAccess) {
  const actions = [...resource.actions.values()]
  return Object.fromEntries(
    actions.map((action) => [action.name, lazyAction(service, { resource, action }, access)]),
  )
}

/** Called with the id of the item, unless it is on a collection, and the input. */
function lazyAction(
  service: ServiceContext,
  { resource, action }: Pick<CalledAction, 'resource' | 'action'>,
  access: SystemAccess,
) {
  return async (...args: readonly unknown[]) => {
    const { callSystemAction } = await import('./system-access.ts')
    const [id, input] = action.on === 'item' ? [String(args[0]), args[1]] : [undefined, args[0]]
    return callSystemAction(service, { resource, action, id, input }, access)
  }
}
