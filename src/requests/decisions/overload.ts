/** Refuses requests while the process is overloaded (RFC 9110 §15.6.4): those that were not refused on arrival. */

import type { HttpRequest } from '../../http/message.ts'
import { unavailable } from '../../refusal.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { isOperatorTarget } from './rate-limits.ts'

/** Refuses 503 while the process has more requests in flight than it can handle in time. */
export function requireCapacity({ model, overload }: ServiceContext, request: HttpRequest): void {
  if (overload.isOverloaded() && !isOperatorTarget(model, request.target)) {
    throw unavailable('The service is overloaded.')
  }
}
