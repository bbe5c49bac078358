/** The tools of an `after` hook. Each call of a collection is a transaction of its own. */

import { type Principal, system } from '../access/principal.ts'
import { LogicFailure } from '../context/logic-runner.ts'
import type { ResourceModel } from '../definition/model.ts'
import type { Attribution } from '../store/change-log.ts'
import type { ChangeAuthor } from './change-author.ts'
import type { HookCalls } from './hook-calls.ts'
import { refuseFrom } from './hook-tools.ts'
import type { LogicMethods } from './logic-collection.ts'
import { createSystemCollection, type SystemContext } from './system-access.ts'

export interface AfterToolsContext {
  readonly service: SystemContext
  /** The place of the hook in the definition. */
  readonly place: string
  readonly author: ChangeAuthor
  readonly previous: object | undefined
  /** Of the changes that the hook makes. */
  readonly attribution: Attribution
  readonly calls: HookCalls
  readonly signal: AbortSignal
}

export function createAfterTools(context: AfterToolsContext): object {
  const { service, place, author, previous, attribution, signal } = context
  return {
    ...collectionsFor(context, system),
    as: (given: unknown) => {
      const { caller, principal } = author
      if (given !== caller) throw new LogicFailure(place, `'as' takes the tool 'caller', in ${place}.`)
      if (principal) return collectionsFor(context, principal)
      throw new LogicFailure(place, `The account of the caller, or its token, is gone, in ${place}.`)
    },
    caller: author.caller,
    now: new Date(service.clock.now()).toISOString(),
    previous,
    refuse: refuseFrom(place),
    requestId: attribution.request,
    signal,
  }
}

function collectionsFor(context: AfterToolsContext, caller: Principal): object {
  const own = [...context.service.model.resources.values()].filter(({ builtIn }) => builtIn === undefined)
  return Object.fromEntries(own.map((resource) => [resource.name, collectionFor(context, resource, caller)]))
}

function collectionFor(
  { service, attribution, calls }: AfterToolsContext,
  resource: ResourceModel,
  caller: Principal,
): object {
  const methods = createSystemCollection(service, resource, { caller, attribution })
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]: [string, LogicMethods[keyof LogicMethods]]) => {
      const call = method as (...args: unknown[]) => Promise<unknown>
      return [
        name,
        (...args: unknown[]) => {
          const result = calls.call(() => call(...args))
          // A call that is not awaited must not end the process.
          result.catch(() => undefined)
          return result
        },
      ]
    }),
  )
}
