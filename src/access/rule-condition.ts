/**
 * Compiles an access rule for one caller into a condition on rows, which the store turns into SQL.
 * The parts of a rule that depend only on the caller (roles, being signed in) are decided here and
 * become `always` or `never`. The parts that depend on the row become comparisons. See decision 0005.
 */

import type { ResourceModel } from '../definition/model.ts'
import type { Rule } from '../definition/rule.ts'
import { all, always, any, type Condition, never } from '../store/condition.ts'
import type { Principal } from './principal.ts'
import {
  compileExists,
  compileIsCaller,
  compileWhere,
  type RuleOutcome,
  type RuleScope,
} from './value-condition.ts'

/** Returns the condition that holds for the rows of the resource on which the rule permits the caller. */
export function compileRule(rule: Rule, resource: ResourceModel, caller: Principal): Condition {
  return compileFor('holds', rule, { resource, caller })
}

/**
 * Rules have three truth values, like SQL: a rule holds, fails, or is unknown, because a value is
 * missing or the caller has no account or roles. `not` exchanges "holds" and "fails" and leaves
 * "unknown", so that missing data denies access under `not` too. Conditions of the store have two
 * values. So a rule is compiled either for the rows on which it holds or for those on which it
 * fails; the unknown rows are in neither.
 */
function compileFor(outcome: RuleOutcome, rule: Rule, scope: RuleScope): Condition {
  const compileEach = (rules: readonly Rule[]) => rules.map((inner) => compileFor(outcome, inner, scope))
  switch (rule.kind) {
    case 'any':
      return outcome === 'holds' ? any(compileEach(rule.of)) : all(compileEach(rule.of))
    case 'all':
      return outcome === 'holds' ? all(compileEach(rule.of)) : any(compileEach(rule.of))
    case 'not':
      return compileFor(outcome === 'holds' ? 'fails' : 'holds', rule.of, scope)
    case 'where':
      return compileWhere(outcome, rule.fields, scope)
    case 'exists':
      return compileExists(outcome, rule, scope)
    case 'self':
      return compileIsCaller(outcome, ['_identity'], scope)
    case 'owner':
      return compileIsCaller(outcome, rule.path, scope)
    default:
      return evaluateForCaller(rule, scope.caller) === (outcome === 'holds') ? always : never
  }
}

/** Returns whether the rule holds for the caller on any row; undefined when that is unknown. */
function evaluateForCaller(
  rule: Extract<Rule, { kind: 'anyone' | 'nobody' | 'signed-in' | 'role' }>,
  caller: Principal,
): boolean | undefined {
  switch (rule.kind) {
    case 'anyone':
      return true
    case 'nobody':
      return false
    case 'signed-in':
      return caller.kind !== 'anonymous'
    case 'role':
      // not(role('guest')) must not permit callers whose roles are not known.
      if (caller.kind === 'anonymous' || caller.roles.size === 0) return undefined
      return rule.roles.some((role) => caller.roles.has(role))
  }
}
