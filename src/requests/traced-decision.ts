/** Decisions whose names are recorded in the trace of a request, and as spans. */

import type { Tracer } from '../tracer.ts'
import type { DecisionTrace } from './context/request-trace.ts'

/** A function that records the name of a decision and returns the decision, to be called at once. */
export function traced<Decisions>(trace: DecisionTrace, decisions: Decisions) {
  return <Name extends keyof Decisions & string>(name: Name): Decisions[Name] => {
    trace.decision = name
    trace.marks?.push({ decision: name, at: performance.now() })
    return trace.tracer ? inSpan(trace.tracer, name, decisions[name]) : decisions[name]
  }
}

/** The decision as a span of its name. */
function inSpan<Decision>(tracer: Tracer, name: string, decision: Decision): Decision {
  const call = decision as (...args: unknown[]) => unknown
  // The same parameters and result as the decision.
  return ((...args: unknown[]) => tracer.traceCall({ name }, () => call(...args))) as Decision
}
