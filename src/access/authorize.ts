/**
 * May they: a rule and a caller become a condition on the record. What depends on the caller alone
 * is decided here; what depends on the record is left for the store to evaluate.
 */

import type { FieldModel, Model, ResourceModel } from '../definition/model.ts'
import type { Rule, WhereValue } from '../definition/rule.ts'
import { formatChallenge } from '../http/authorization.ts'
import { refuse } from '../refusal.ts'
import {
  all,
  always,
  any,
  type Comparison,
  type Condition,
  equals,
  never,
} from '../store/condition.ts'
import { type Principal, scopesOf } from './principal.ts'
import { scopesPermit } from './scopes.ts'

/** When the rule lets this caller pass, for records of the resource. */
export function compileRule(rule: Rule, resource: ResourceModel, caller: Principal): Condition {
  return compileFor('holds', rule, resource, caller)
}

/**
 * Rules know three answers: yes, no, and nothing known, where a value is missing or nobody is
 * known. `not` turns yes and no around and leaves the third, so that what is missing denies either
 * way; a condition is therefore made for each answer, down to the single comparison.
 */
type Outcome = 'holds' | 'fails'

function compileFor(
  answer: Outcome,
  rule: Rule,
  resource: ResourceModel,
  caller: Principal,
): Condition {
  const every = (of: readonly Rule[]) =>
    of.map((inner) => compileFor(answer, inner, resource, caller))
  switch (rule.kind) {
    case 'any':
      return answer === 'holds' ? any(every(rule.of)) : all(every(rule.of))
    case 'all':
      return answer === 'holds' ? all(every(rule.of)) : any(every(rule.of))
    case 'not':
      return compileFor(answer === 'holds' ? 'fails' : 'holds', rule.of, resource, caller)
    case 'where':
      return compileWhere(answer, rule.fields, resource)
    case 'self':
      return compileIdentity(answer, ['_identity'], caller)
    case 'owner':
      return compileIdentity(answer, rule.path, caller)
    default:
      return evaluateForCaller(rule, caller) === (answer === 'holds') ? always : never
  }
}

/** What can be said of the caller alone; undefined where nothing is known. */
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
      // Nobody knows of someone without a single role which of them they lack on purpose.
      if (caller.kind === 'anonymous' || caller.roles.size === 0) return undefined
      return rule.roles.some((role) => caller.roles.has(role))
  }
}

/** The value at the path is the caller's identity, or is there and another's. */
function compileIdentity(answer: Outcome, path: readonly string[], caller: Principal): Condition {
  if (caller.kind !== 'account') return never
  return answer === 'holds' ? equals(path, caller.identity) : differs(path, caller.identity)
}

function compileWhere(
  answer: Outcome,
  fields: Readonly<Record<string, WhereValue>>,
  resource: ResourceModel,
): Condition {
  const each = Object.entries(fields).map(([name, value]) => {
    // The definition was checked: a rule names only fields that are there.
    const field = resource.field.get(name) as FieldModel
    const values = (typeof value === 'object' ? value : [value])
      .map((one) => field.encode(one))
      .filter((stored) => stored !== null)
    if (values.length === 0) return never
    if (answer === 'fails') return all(values.map((stored) => differs([name], stored)))
    return { kind: 'compare', path: [name], operator: 'in', values } satisfies Condition
  })
  return answer === 'holds' ? all(each) : any(each)
}

/** True where something is there and is another; false where nothing is (store/condition.ts). */
function differs(path: readonly string[], value: Comparison['values'][number]): Condition {
  return { kind: 'compare', path, operator: 'ne', values: [value] }
}

/** Refuses a caller whom no record could ever let pass, before anything is loaded. */
export function requireSatisfiable(condition: Condition, caller: Principal): void {
  if (condition.kind === 'never') throw refuseCaller(caller)
}

/** Refuses all but those with the admin's role; where there are no accounts, nobody has it. */
export function requireAdmin({ accounts }: Model, caller: Principal, document: string): void {
  if (!accounts) {
    throw refuse('forbidden', { detail: 'This is for admins, and the service has no accounts.' })
  }
  if (caller.kind === 'anonymous' || !caller.roles.has(accounts.adminRole))
    throw refuseCaller(caller)
  const scopes = scopesOf(caller)
  if (scopes && !scopesPermit(scopes, document, 'read')) throw insufficientScope(`${document}:read`)
}

/** Whether `allowAdmin` would let the caller pass: what it would refuse is not linked. */
export function isPermittedAdmin(
  { accounts }: Model,
  caller: Principal,
  document: string,
): boolean {
  if (!accounts || caller.kind === 'anonymous' || !caller.roles.has(accounts.adminRole))
    return false
  const scopes = scopesOf(caller)
  return !scopes || scopesPermit(scopes, document, 'read')
}

/** What a caller is told who may see a record, and may not do this with it. */
export function refuseCaller(caller: Principal, detail = 'Your account may not do this.') {
  return caller.kind === 'anonymous'
    ? refuse('unauthenticated', { detail: 'Sign in to do this.' })
    : refuse('forbidden', { detail })
}

/** RFC 6750 §3.1: the token is good, and was not made for this. */
export function insufficientScope(scope: string) {
  const challenge = formatChallenge('Bearer', { error: 'insufficient_scope', scope })
  return refuse('forbidden', {
    detail: `The token was not made for this: it would need the scope ${scope}.`,
    fields: { 'WWW-Authenticate': challenge },
  })
}
