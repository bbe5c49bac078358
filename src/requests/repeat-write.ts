/** Repeats a write after each lost race: in its turn on the row, or under a lock where code of the definition runs. */

import type { RequestContext } from './context/request-context.ts'
import { withStore } from './context/service-context.ts'
import type { Plan } from './perform-method.ts'
import { type RetryLock, retryLostRaces } from './write/lost-race.ts'
import { performInTurn, requestTime, type Turn, type TurnMode } from './write/row-queue.ts'

/** Performs the write until it loses no race. `perform` does so in a context. */
export function repeatWrite<Outcome>(
  { context, request }: Pick<Plan, 'context' | 'request'>,
  perform: (context: RequestContext) => Promise<Outcome>,
): Promise<Outcome> {
  const lock = retryLockOf(context)
  if (lock) return retryLostRaces(() => perform(context), lock)
  return performInTurn(context.unit.store, {
    mode: () => turnModeOf(context),
    attempt: (turn) => perform(turn ? inTurn(context, turn) : { ...context, givesWay: true }),
    isAbandoned: () => request.isAbandoned?.() === true,
  })
}

function inTurn(context: RequestContext, { store }: Turn): RequestContext {
  return store ? { ...context, unit: withStore(context.unit, store) } : context
}

/** The lock for a request whose code lost races; undefined where it runs none. */
function retryLockOf({ service: { logic }, unit: { store }, target }: RequestContext): RetryLock | undefined {
  const resource = 'resource' in target ? target.resource : undefined
  if (!logic || !resource) return undefined
  const runsCode = target.kind === 'action' ? !target.action.background : logic.runsHooks(resource)
  if (!runsCode) return undefined
  return {
    milliseconds: requestTime,
    run: (milliseconds, work) => store.withNamedLock(resource.name, milliseconds, work),
  }
}

/** A change of one row by content shares a commit. A deletion does not: later requests would not find its tombstone. */
function turnModeOf({ target, method, isDryRun }: RequestContext): TurnMode {
  if (isDryRun || (target.kind !== 'item' && target.kind !== 'element')) return 'alone'
  const { resource } = target
  const hashesPasswords = resource.fields.some(({ kind }) => kind.isHashed)
  if (resource.logic || !resource.declared || resource.currentPassword || hashesPasswords) return 'alone'
  if (target.kind === 'element' || method === 'PATCH') return 'shared'
  return method === 'PUT' && resource.put === 'replace' ? 'shared' : 'locked'
}
