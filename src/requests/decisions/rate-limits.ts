/** Limits of requests: 503 while the process is overloaded (RFC 9110 §15.6.4), 429 and the RateLimit fields for callers and addresses. */

import { anonymous, callerKey, type Principal } from '../../access/principal.ts'
import type { Model } from '../../definition/model.ts'
import { type HttpRequest, noFields, type ResponseFields } from '../../http/message.ts'
import { unavailable } from '../../refusal.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Target } from '../context/target.ts'

/** Counts the request and returns the RateLimit fields; refuses 429 when the caller's allowance is used up. */
export function limitCaller(
  { rateLimiter }: ServiceContext,
  caller: Principal,
  { route }: Pick<Target, 'route'>,
  { client }: HttpRequest,
): ResponseFields {
  if (!rateLimiter || isOperatorPath(route)) return noFields
  return rateLimiter.take(callerKey(caller, client.address))
}

/**
 * Like `limitCaller`, for a request whose response does not depend on its caller: counts it against
 * the client's address.
 */
export function limitAddress(
  { model, rateLimiter }: ServiceContext,
  { target, client }: HttpRequest,
): ResponseFields {
  if (!rateLimiter || isOperatorTarget(model, target)) return noFields
  return rateLimiter.take(callerKey(anonymous, client.address))
}

/** Whether the target of a request serves operators. */
export function isOperatorTarget({ base }: Pick<Model, 'base'>, target: string): boolean {
  return target.startsWith(base) && isOperatorPath(target.slice(base.length))
}

/** Whether the path serves operators. Such requests are never limited, since they matter most under load. */
function isOperatorPath(path: string): boolean {
  return /^\/(?:health|metrics|status)(?:[/?]|$)/.test(path)
}

/** Refuses 503 while the process has more requests in flight than it can handle in time: those that were not refused on arrival. */
export function requireCapacity({ model, overload }: ServiceContext, request: HttpRequest): void {
  if (overload.isOverloaded() && !isOperatorTarget(model, request.target)) {
    throw unavailable('The service is overloaded.')
  }
}
