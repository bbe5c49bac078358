/** Refuses requests while the process is overloaded (RFC 9110 §15.6.4). */

import type { HttpRequest } from '../../http/message.ts'
import { unavailable } from '../../refusal.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { isOperatorPath } from './rate-limits.ts'

/** Refuses 503 while the process has more requests than it can handle in time. */
export function requireCapacity({ model, overload }: ServiceContext, request: HttpRequest): void {
  if (overload.isOverloaded() && !isOperatorPath(request.target.slice(model.base.length))) {
    throw overloaded()
  }
}

/** Refuses 503 before a list is loaded: requests that arrive together all pass `requireCapacity`. */
export function requireListCapacity({ overload }: ServiceContext): void {
  if (overload.isLate()) throw overloaded()
}

function overloaded() {
  return unavailable('The service is overloaded.')
}
