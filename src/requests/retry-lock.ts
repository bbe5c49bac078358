/** The lock for a request whose code lost races, so that it is not repeated for ever. */

import type { HttpResponse } from '../http/message.ts'
import type { ServiceContext } from './context/service-context.ts'
import type { Target } from './context/target.ts'
import type { RetryLock } from './write/lost-race.ts'

/** Milliseconds of a request with hooks, with all its attempts. */
const hooksTime = 30_000

/** The lock for a request whose code lost races; undefined where it runs none. */
export function retryLockOf(
  { logic, store }: ServiceContext,
  target: Target,
): RetryLock<HttpResponse> | undefined {
  const resource = 'resource' in target ? target.resource : undefined
  if (!logic || !resource) return undefined
  const runsCode = target.kind === 'action' ? !target.action.background : logic.runsHooks(resource)
  if (!runsCode) return undefined
  return {
    milliseconds: hooksTime,
    run: (milliseconds, work) => store.withNamedLock(resource.name, milliseconds, work),
  }
}
