/** The refusal that answers a request whose handling failed. */

import { ConversionFailure } from '../definition/version-conversion.ts'
import type { HttpRequest } from '../http/message.ts'
import { Refusal, refuse, unavailable } from '../refusal.ts'
import type { ServiceContext } from '../requests/context/service-context.ts'
import { LogicFailure } from '../requests/write/logic-runner.ts'
import { DamagedContent } from '../store/file-store.ts'
import { StoreUnavailable } from '../store/store.ts'

/** The refusal for what was thrown. An unexpected error is reported as a bug; the client learns no details. */
export function refusalOf(
  { observe, schemes }: Pick<ServiceContext, 'observe' | 'schemes'>,
  request: HttpRequest,
  error: unknown,
): Refusal {
  if (error instanceof Refusal) {
    // A 401 needs a challenge (RFC 9110 §15.5.2), and a service without schemes has none to send.
    return error.status === 401 && schemes.offered.size === 0 ? asForbidden(error) : error
  }
  if (error instanceof LogicFailure) {
    const unavailability = findUnavailability(error.cause)
    if (unavailability) return refusalOf({ observe, schemes }, request, unavailability)
  }
  if (error instanceof StoreUnavailable && error.reason === 'slow') {
    return unavailable(unavailableDetails.slow, error)
  }
  if (error instanceof StoreUnavailable) {
    observe({ kind: 'store-unavailable', reason: error.reason, cause: error })
    if (error.reason === 'full') return refuse('insufficient-storage', { cause: error })
    return unavailable(unavailableDetails[error.reason], error)
  }
  if (error instanceof DamagedContent) {
    observe({ kind: 'file-damaged', request: request.id, cause: error })
  } else if (error instanceof LogicFailure || error instanceof ConversionFailure) {
    observe({ kind: 'logic-failed', request: request.id, hook: error.hook, cause: error })
  } else {
    observe({ kind: 'bug', request: request.id, cause: error })
  }
  return refuse('internal-error', { cause: error })
}

/** The code of a definition fails where the database does, and may give the error another one as its cause. */
function findUnavailability(cause: unknown): StoreUnavailable | undefined {
  if (cause instanceof StoreUnavailable) return cause
  return cause instanceof Error ? findUnavailability(cause.cause) : undefined
}

function asForbidden(cause: Refusal): Refusal {
  return refuse('forbidden', { detail: 'The rules of this service do not permit this.', cause })
}

const unavailableDetails: Readonly<Record<Exclude<StoreUnavailable['reason'], 'full'>, string>> = {
  unreachable: 'The stored data cannot be reached.',
  slow: 'The list took too long. Request fewer items, or filter by an indexed field.',
  unfit: 'The tables do not fit the definition. The operator must migrate the database.',
  damaged: 'The database is damaged. It is read-only until the operator restores it.',
}
