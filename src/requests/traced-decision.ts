/** Decisions that are recorded in the trace of a request, and as spans, by the names of their functions. */

import type { DecisionTrace } from './context/request-trace.ts'

/** Calls a decision, and records that it began. */
export type Decide = <Given extends readonly unknown[], Result>(
  decision: (...given: Given) => Result,
  ...given: Given
) => Result

/** Records decisions in the trace. No other function has the name of a decision, so that it survives a bundle. */
export function traced(trace: DecisionTrace): Decide {
  return (decision, ...given) => {
    const { name } = decision
    trace.decision = name
    trace.marks?.push({ decision: name, at: performance.now() })
    return trace.tracer ? trace.tracer.traceCall({ name }, () => decision(...given)) : decision(...given)
  }
}
