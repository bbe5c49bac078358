/** The decisions about whoever asks, once it is known who that is: how often, and from where. */

import { anonymous, callerName, type Principal } from '../access/principal.ts'
import { type HttpRequest, noFields, type ResponseFields } from '../http/message.ts'
import { isCrossOrigin } from '../http/origin.ts'
import { refuse } from '../refusal.ts'
import type { Method } from './admission.ts'
import type { Context } from './context.ts'
import type { Target } from './target.ts'

/** What RateLimit says after this request was counted; refuses 429 past the caller's allowance. */
export function throttle(
  { rate }: Context,
  who: Principal,
  target: Target,
  { peer }: HttpRequest,
): ResponseFields {
  if (!rate || isForOperators(target.route)) return noFields
  return rate.take(callerName(who, peer.address))
}

/**
 * Counts a request that is answered before its caller is known against its address, and gives what
 * RateLimit says after it; refuses 429 past the allowance of the address.
 */
export function throttleAddress(
  { model, rate }: Context,
  { target, peer }: HttpRequest,
): ResponseFields {
  if (!rate || isForOperators(target.slice(model.base.length))) return noFields
  return rate.take(callerName(anonymous, peer.address))
}

/** What tells how the service does must not fall silent when it is most needed. */
export function isForOperators(path: string): boolean {
  return /^\/(?:health|metrics|status)(?:[/?]|$)/.test(path)
}

const safe: ReadonlySet<Method> = new Set(['GET', 'HEAD', 'QUERY'])

/**
 * Browsers send passwords along by themselves, so what a page of another origin had sent with one
 * was perhaps never meant by its user: 403.
 */
export function allowOrigin(
  { model }: Context,
  who: Principal,
  method: Method,
  { fields, peer }: HttpRequest,
): void {
  if (safe.has(method)) return
  if (who.kind !== 'account' || who.credential.kind !== 'password') return
  const arrival = { host: peer.host ?? fields.host, secure: peer.secure }
  if (!isCrossOrigin(model.origins, fields, arrival)) return
  throw refuse('forbidden', { detail: 'A page of another origin sent this with your password.' })
}
