/**
 * May they: a rule and a caller become a condition on the record. What depends on the caller alone
 * is decided here; what depends on the record is left for the store to evaluate.
 */

import type { FieldModel, Model, ResourceModel } from '../declare/model.ts'
import type { Rule, WhereValue } from '../declare/rule.ts'
import { refuse } from '../refusal.ts'
import { all, always, any, type Condition, equals, never, not } from '../store/condition.ts'
import type { Principal } from './principal.ts'

export type Right = 'read' | 'create' | 'update' | 'delete'

/** When the caller has the right to a record of the resource. */
export function rightTo(right: Right, resource: ResourceModel, who: Principal): Condition {
  return conditionOf(resource.access[right], resource, who)
}

/** When the rule lets this caller pass, for records of the resource. */
export function conditionOf(rule: Rule, resource: ResourceModel, who: Principal): Condition {
  switch (rule.kind) {
    case 'anyone':
      return always
    case 'nobody':
      return never
    case 'signed-in':
      return who.kind === 'account' ? always : never
    case 'self':
      return who.kind === 'account' ? equals(['_identity'], who.identity) : never
    case 'owner':
      return who.kind === 'account' ? equals(rule.path, who.identity) : never
    case 'role':
      return who.kind === 'account' && rule.roles.some((role) => who.roles.has(role))
        ? always
        : never
    case 'where':
      return all(
        Object.entries(rule.fields).map(([name, value]) => whereField(name, value, resource)),
      )
    case 'any':
      return any(rule.of.map((inner) => conditionOf(inner, resource, who)))
    case 'all':
      return all(rule.of.map((inner) => conditionOf(inner, resource, who)))
    case 'not':
      return not(conditionOf(rule.of, resource, who))
  }
}

function whereField(name: string, value: WhereValue, resource: ResourceModel): Condition {
  // The definition was checked: a rule names only fields that are there.
  const field = resource.field.get(name) as FieldModel
  const values = (typeof value === 'object' ? value : [value]).map((one) => field.encode(one))
  return {
    kind: 'compare',
    path: [name],
    operator: 'in',
    values: values.filter((stored) => stored !== null),
  }
}

/** Refuses a caller whom no record could ever let pass, before anything is loaded. */
export function allowAtAll(condition: Condition, who: Principal): void {
  if (condition.kind === 'never') throw denial(who)
}

/** Refuses all but those with the admin's role; where there are no accounts, nobody has it. */
export function allowAdmin({ accounts }: Model, who: Principal): void {
  if (!accounts) {
    throw refuse('forbidden', { detail: 'This is for admins, and the service has no accounts.' })
  }
  if (who.kind !== 'account' || !who.roles.has(accounts.adminRole)) throw denial(who)
}

/** What a caller is told who may see a record, and may not do this with it. */
export function denial(who: Principal, detail = 'Your account may not do this.') {
  return who.kind === 'anonymous'
    ? refuse('unauthenticated', { detail: 'Sign in to do this.' })
    : refuse('forbidden', { detail })
}
