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

/** Calls a decision, and records that it began. */
export type Decide = <Given extends readonly unknown[], Result>(
  decision: (...given: Given) => Result,
  ...given: Given
) => Result

/**
 * Records decisions in the trace. No other function has the name of a decision, so that it survives a bundle. Names are
 * read where they are written: the name of a function costs as much as many decisions.
 */
export function traced(trace: DecisionTrace): Decide {
  return (decision, ...given) => {
    trace.decision = decision
    trace.marks?.push({ decision, at: performance.now() })
    if (!trace.tracer) return decision(...given)
    return trace.tracer.traceCall({ name: decision.name }, () => decision(...given))
  }
}
