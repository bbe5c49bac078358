/** The decisions about whoever asks, once it is known who that is: how often, and from where. */

import { anonymous, callerName, type Principal } from '../access/principal.ts'
import type { Method } from '../context/request-context.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Target } from '../context/target.ts'
import { type HttpRequest, noFields, type ResponseFields } from '../http/message.ts'
import { isCrossOrigin } from '../http/origin.ts'
import { refuse } from '../refusal.ts'

/** What RateLimit says after this request was counted; refuses 429 past the caller's allowance. */
export function limitCaller(
  { rate }: ServiceContext,
  caller: Principal,
  target: Target,
  { peer }: HttpRequest,
): ResponseFields {
  if (!rate || isOperatorPath(target.route)) return noFields
  return rate.take(callerName(caller, peer.address))
}

/**
 * Counts a request that is answered before its caller is known against its address, and gives what
 * RateLimit says after it; refuses 429 past the allowance of the address.
 */
export function limitAddress(
  { model, rate }: ServiceContext,
  { target, peer }: HttpRequest,
): ResponseFields {
  if (!rate || isOperatorPath(target.slice(model.base.length))) return noFields
  return rate.take(callerName(anonymous, peer.address))
}

/** What tells how the service does must not fall silent when it is most needed. */
export function isOperatorPath(path: string): boolean {
  return /^\/(?:health|metrics|status)(?:[/?]|$)/.test(path)
}

const safe: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'QUERY'])

/**
 * Browsers send passwords along by themselves, so what a page of another origin had sent with one
 * was perhaps never meant by its user: 403.
 */
export function requireOwnOrigin(
  { model }: ServiceContext,
  caller: Principal,
  method: Method,
  { fields, peer }: HttpRequest,
): void {
  if (safe.has(method)) return
  if (caller.kind !== 'account' || caller.credential.kind !== 'password') return
  const arrival = { host: peer.host ?? fields.host, secure: peer.secure }
  if (!isCrossOrigin(model.origins, fields, arrival)) return
  throw refuse('forbidden', { detail: 'A page of another origin sent this with your password.' })
}
