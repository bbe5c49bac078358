/** Rules of operations that have no item: they can ask for the caller alone. */

import type { FaultReport } from '../definition-fault.ts'
import type { Rule } from '../rule.ts'

/** Reports a rule that depends on an item. `operation` is the one that has none, such as `a route`. */
export function requireRuleOfCaller(rule: Rule, operation: string, report: FaultReport): void {
  switch (rule.kind) {
    case 'any':
    case 'all':
      for (const one of rule.of) requireRuleOfCaller(one, operation, report)
      break
    case 'not':
      requireRuleOfCaller(rule.of, operation, report)
      break
    case 'self':
    case 'owner':
    case 'where':
    case 'exists':
      report(
        `The rule ${rule.kind} depends on an item, and ${operation} has none.`,
        "Use anyone, signedIn or role('…'), and refuse in 'run'.",
      )
  }
}
