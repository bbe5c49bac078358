/**
 * Compiles an access rule for one caller into a condition on rows, which the store turns into SQL.
 * The parts of a rule that depend only on the caller (roles, being signed in) are decided here and
 * become `always` or `never`. The parts that depend on the row become comparisons.
 */

import type { FieldModel, ResourceModel } from '../definition/model.ts'
import type { Rule, WhereValue } from '../definition/rule.ts'
import {
  all,
  always,
  any,
  type Comparison,
  type Condition,
  equals,
  never,
} from '../store/condition.ts'
import type { Principal } from './principal.ts'

/** Returns the condition that holds for the rows of the resource on which the rule permits the caller. */
export function compileRule(rule: Rule, resource: ResourceModel, caller: Principal): Condition {
  return compileFor('holds', rule, resource, caller)
}

/**
 * Rules have three truth values, like SQL: a rule holds, fails, or is unknown, because a value is
 * missing or the caller has no account or roles. `not` exchanges "holds" and "fails" and leaves
 * "unknown", so that missing data denies access under `not` too. Conditions of the store have two
 * values. So a rule is compiled either for the rows on which it holds or for those on which it
 * fails; the unknown rows are in neither.
 */
type Outcome = 'holds' | 'fails'

function compileFor(
  outcome: Outcome,
  rule: Rule,
  resource: ResourceModel,
  caller: Principal,
): Condition {
  const compileEach = (rules: readonly Rule[]) =>
    rules.map((inner) => compileFor(outcome, inner, resource, caller))
  switch (rule.kind) {
    case 'any':
      return outcome === 'holds' ? any(compileEach(rule.of)) : all(compileEach(rule.of))
    case 'all':
      return outcome === 'holds' ? all(compileEach(rule.of)) : any(compileEach(rule.of))
    case 'not':
      return compileFor(outcome === 'holds' ? 'fails' : 'holds', rule.of, resource, caller)
    case 'where':
      return compileWhere(outcome, rule.fields, resource)
    case 'self':
      return compileIdentity(outcome, ['_identity'], caller)
    case 'owner':
      return compileIdentity(outcome, rule.path, caller)
    default:
      return evaluateForCaller(rule, caller) === (outcome === 'holds') ? always : never
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

/** Compares the reference at the end of the path with the caller's account. */
function compileIdentity(outcome: Outcome, path: readonly string[], caller: Principal): Condition {
  if (caller.kind !== 'account') return never
  return outcome === 'holds' ? equals(path, caller.identity) : differs(path, caller.identity)
}

function compileWhere(
  outcome: Outcome,
  fields: Readonly<Record<string, WhereValue>>,
  resource: ResourceModel,
): Condition {
  const conditions = Object.entries(fields).map(([name, value]) => {
    // The definition was checked, so the field exists.
    const field = resource.field.get(name) as FieldModel
    const values = (typeof value === 'object' ? value : [value])
      .map((allowed) => field.encode(allowed))
      .filter((stored) => stored !== null)
    if (values.length === 0) return never
    if (outcome === 'fails') return all(values.map((stored) => differs([name], stored)))
    return { kind: 'compare', path: [name], operator: 'in', values } satisfies Condition
  })
  return outcome === 'holds' ? all(conditions) : any(conditions)
}

/** Holds when the value is present and another; a missing value satisfies no comparison. */
function differs(path: readonly string[], value: Comparison['values'][number]): Condition {
  return { kind: 'compare', path, operator: 'ne', values: [value] }
}
