/** The tools of code that runs after a commit, at a time or in the background. Each call of a collection is a transaction of its own. */

import { type Principal, system } from '../../../access/principal.ts'
import { systemCaller } from '../../../requests/context/described-caller.ts'
import type { Attribution } from '../../../store/change-log.ts'
import type { ChangeAuthor } from '../change-author.ts'
import type { HookCalls } from '../hook-calls.ts'
import { refuseFrom } from '../refuse-tool.ts'
import { createSystemCollection, type RunningJob, type SystemContext } from '../system-access.ts'
import { collectionsOf, createTools, type ToolCalls, type ToolContext } from '../tools.ts'
import { transact } from '../transaction.ts'

export interface AfterToolsContext {
  readonly service: SystemContext
  /** The place of the code in the definition. */
  readonly place: string
  readonly author: ChangeAuthor
  /** Of the changes that the code makes. */
  readonly attribution: Attribution
  readonly calls: HookCalls
  readonly signal: AbortSignal
  /** The job whose code gets the tools; undefined: none does. */
  readonly job?: RunningJob
  /** By default it points to no field. */
  readonly refuse?: ToolContext['refuse']
}

/** The author of code that no request has caused. */
export const noAuthor: ChangeAuthor = {
  caller: systemCaller,
  principal: system,
}

export function createAfterTools(context: AfterToolsContext): object {
  const { service, place, author, attribution, signal, refuse = refuseFrom(place) } = context
  const tools = {
    ...author,
    calls: callsAfter(context),
    place,
    now: new Date(service.clock.now()).toISOString(),
    refuse,
    requestId: attribution.request,
    signal,
  }
  return createTools(tools, system)
}

/** Calls that are transactions of their own, and must end before the code does. */
function callsAfter({ service, place, attribution, calls, signal, job }: AfterToolsContext): ToolCalls {
  const accessOf = (caller: Principal) => ({ findCaller: () => caller, attribution, job })
  const transaction: ToolCalls['transaction'] = (caller, work) => {
    const context = { service, access: accessOf(caller), place, ending: signal }
    return calls.call(() => transact(context, (attempt) => work(attempt.calls)))
  }
  return {
    collectionsFor: (caller) =>
      collectionsOf(service.model, (resource) => {
        const access = accessOf(caller)
        return counted(calls, createSystemCollection(service, resource, access))
      }),
    sendMail: (...mail) => transaction(system, (joined) => joined.sendMail(...mail)),
    transaction,
  }
}

/** The methods, each a call of the code. */
function counted(calls: HookCalls, methods: object): object {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]: [string, (...args: unknown[]) => Promise<unknown>]) => [
      name,
      (...args: unknown[]) => {
        const result = calls.call(() => method(...args))
        // A call that is not awaited must not end the process.
        result.catch(() => undefined)
        return result
      },
    ]),
  )
}
