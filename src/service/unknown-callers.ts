/** Counts requests whose caller is not known, so that they are limited too. */

import { type HttpRequest, noFields } from '../http/message.ts'
import { Refusal } from '../refusal.ts'
import type { RequestTrace } from '../requests/context/request-trace.ts'
import type { ServiceContext } from '../requests/context/service-context.ts'
import { limitAddress } from '../requests/decisions/rate-limits.ts'
import { EarlyResponse } from '../requests/respond/early-response.ts'

/**
 * Counts a request that ended before its caller was known against its address. Returns what was
 * thrown, or the 429 when the allowance of the address is used up. A 503 is not counted.
 */
export function limitUnknownCaller(
  service: ServiceContext,
  request: HttpRequest,
  trace: RequestTrace,
  thrown: unknown,
): unknown {
  if (trace.caller !== undefined || trace.rateLimitFields !== noFields) return thrown
  const isCounted =
    thrown instanceof Refusal ? thrown.type !== 'unavailable' : thrown instanceof EarlyResponse
  if (!isCounted) return thrown
  try {
    trace.rateLimitFields = limitAddress(service, request)
    return thrown
  } catch (refusal) {
    trace.decision = limitAddress
    return refusal
  }
}
