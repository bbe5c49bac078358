/** The tools of code that runs after a commit, at a time or in the background. Each call of a collection is a transaction of its own. */

import { type Principal, system } from '../../../access/principal.ts'
import type { ResourceModel } from '../../../definition/model.ts'
import { LogicFailure } from '../../../requests/write/logic-runner.ts'
import type { ChangeAuthor } from '../change-author.ts'
import { refuseFrom } from '../hook-tools.ts'
import type { LogicMethods } from '../logic-collection.ts'
import { createSystemCollection } from '../system-access.ts'
import { type CallingCode, createCommittedMailTool } from './committed-mail.ts'

export interface ScheduleToolsContext extends CallingCode {
  readonly signal: AbortSignal
}

export interface AfterToolsContext extends ScheduleToolsContext {
  readonly author: ChangeAuthor
  readonly previous: object | undefined
}

/** The tools of a schedule. */
export function createScheduleTools(context: ScheduleToolsContext): object {
  const { service, place, signal } = context
  return {
    ...collectionsFor(context, system),
    mail: createCommittedMailTool(context),
    now: new Date(service.clock.now()).toISOString(),
    refuse: refuseFrom(place),
    signal,
  }
}

/** The tools of an `after` hook. */
export function createAfterTools(context: AfterToolsContext): object {
  const { place, author, previous, attribution } = context
  return {
    ...createScheduleTools(context),
    as: (given: unknown) => {
      const { caller, principal } = author
      if (given !== caller) throw new LogicFailure(place, `'as' takes the tool 'caller', in ${place}.`)
      if (principal) return collectionsFor(context, principal)
      throw new LogicFailure(place, `The account of the caller, or its token, is gone, in ${place}.`)
    },
    caller: author.caller,
    previous,
    requestId: attribution.request,
  }
}

function collectionsFor(context: ScheduleToolsContext, caller: Principal): object {
  const own = [...context.service.model.resources.values()].filter(({ declared }) => declared)
  return Object.fromEntries(own.map((resource) => [resource.name, collectionFor(context, resource, caller)]))
}

function collectionFor(
  { service, attribution, calls, job }: ScheduleToolsContext,
  resource: ResourceModel,
  caller: Principal,
): object {
  const methods = createSystemCollection(service, resource, {
    findCaller: () => caller,
    attribution,
    job,
  })
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
