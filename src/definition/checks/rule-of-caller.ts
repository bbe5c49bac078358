/** Rules of operations that have no item: they can ask for the caller alone. */

import type { FaultReport } from '../definition-fault.ts'
import type { Rule } from '../rule.ts'
import type { CheckContext } from './check-context.ts'
import { checkRule } from './rules.ts'
import type { RuleContext } from './value-rules.ts'

/** The rule of an operation of the service that no resource has. */
export interface DeclaredRule {
  /** Such as `a route`. */
  readonly operation: string
  readonly rule: Rule
  readonly report: FaultReport
}

/** Reports the faults of the rules that parts declare. */
export function checkDeclaredRules(
  parts: readonly { readonly rules?: readonly DeclaredRule[] }[],
  context: CheckContext,
): void {
  // They depend on no item, so the resource makes no difference.
  const [resource] = context.models.values()
  for (const { rule, operation, report } of parts.flatMap(({ rules = [] }) => rules)) {
    if (resource) checkCallerRule(rule, operation, { ...context, resource, report })
  }
}

/** Reports the faults of the rule of an operation that has no item, such as `a route`. */
export function checkCallerRule(rule: Rule, operation: string, context: RuleContext): void {
  const dependent = findItemRule(rule)
  if (dependent === undefined) checkRule(rule, context)
  else {
    context.report(
      `The rule ${dependent.kind} depends on an item, and ${operation} has none.`,
      "Use anyone, signedIn or role('…'), and refuse in 'run'.",
    )
  }
}

/** The first part of the rule that depends on an item. */
function findItemRule(rule: Rule): Rule | undefined {
  switch (rule.kind) {
    case 'any':
    case 'all':
      return rule.of.map(findItemRule).find((one) => one !== undefined)
    case 'not':
      return findItemRule(rule.of)
    case 'self':
    case 'owner':
    case 'where':
    case 'exists':
      return rule
    default:
      return undefined
  }
}
