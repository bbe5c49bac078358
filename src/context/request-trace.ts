/** What became known of a request before it ended, for the response to a refusal and for the log. */

import type { Principal } from '../access/principal.ts'
import type { ResponseFields } from '../http/message.ts'
import type { NegotiatedRequest, RequestContent } from './request-context.ts'
import type { Target } from './target.ts'

/** What became known on the way, for whoever must answer when it ends in a refusal. */
export interface RequestTrace extends DecisionTrace {
  target: Target | undefined
  /** What RateLimit says to this caller now. */
  allowance: ResponseFields
  caller: Principal | undefined
  negotiated: NegotiatedRequest | undefined
  content: RequestContent | undefined
}

export interface DecisionTrace {
  /** The last decision that was begun. */
  decision: string | undefined
}
