/** Rate limits of callers and of addresses: 429, and the RateLimit fields of every response. */

import { anonymous, callerKey, type Principal } from '../../access/principal.ts'
import type { Model } from '../../definition/model.ts'
import { type HttpRequest, noFields, type ResponseFields } from '../../http/message.ts'
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
