/** The facts about a request when it ends, for the response to a refusal and for the log. */

import type { Principal } from '../../access/principal.ts'
import { noFields, type ResponseFields } from '../../http/message.ts'
import type { Tracer } from '../../tracer.ts'
import type { RequestContent } from './request-content.ts'
import type { RequestContext } from './request-context.ts'
import type { Target } from './target.ts'

/** Filled while the request is handled; the last decision tells how far it came. */
export interface RequestTrace extends DecisionTrace {
  target: Target | undefined
  /** The RateLimit fields of the response; `noFields` until the request is counted. */
  rateLimitFields: ResponseFields
  caller: Principal | undefined
  context: RequestContext | undefined
  content: RequestContent | undefined
}

export interface DecisionTrace {
  /** The last decision that began. */
  decision: Decision | undefined
  /** Records each decision as a span; undefined: none is recorded. */
  readonly tracer: Tracer | undefined
  /** When each decision began; undefined: it is not recorded. */
  marks: DecisionMark[] | undefined
}

/** The function that decides. */
export interface Decision {
  readonly name: string
}

export interface DecisionMark {
  readonly decision: Decision
  /** In milliseconds of the clock of `performance`. */
  readonly at: number
}

/** The trace of a request that begins. */
export function createTrace(tracer: Tracer | undefined): RequestTrace {
  return {
    tracer,
    target: undefined,
    decision: undefined,
    marks: undefined,
    rateLimitFields: noFields,
    caller: undefined,
    context: undefined,
    content: undefined,
  }
}
