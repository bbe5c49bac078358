/** Decisions that are recorded in the trace of a request, and as spans, by the names of their functions. */

import type { DecisionTrace } from './context/request-trace.ts'

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
