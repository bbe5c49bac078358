/**
 * All that a caller may do with the records of a resource, each right as a condition on the
 * record: what the rules give, within the scopes of a token. The one place where rights come from;
 * worked out once for a caller, which is one for good where nobody is known.
 */

import type { FieldModel, ResourceModel, TransitionModel } from '../definition/model.ts'
import type { Rule } from '../definition/rule.ts'
import { always, type Condition, never } from '../store/condition.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { compileRule } from './authorize.ts'
import { type Principal, scopesOf } from './principal.ts'
import { type Right, scopesPermit } from './scopes.ts'

export interface Rights {
  readonly resource: ResourceModel
  readonly read: Condition
  readonly create: Condition
  readonly update: Condition
  readonly delete: Condition
  /** When each field is shown in a record that may be read. */
  readonly visibility: ReadonlyMap<FieldModel, Condition>
  /** When each field may be set in a record that may be written. */
  readonly writability: ReadonlyMap<FieldModel, Condition>
  /** When each transition may be taken in a record that may be updated. */
  readonly transitions: ReadonlyMap<TransitionModel, Condition>
}

export function rightsOf(resource: ResourceModel, caller: Principal): Rights {
  return rightsOfCaller(caller)(resource)
}

const rightsOfCaller = memoizeByObject((caller: Principal) =>
  memoizeByObject((resource: ResourceModel) => computeRights(resource, caller)),
)

function computeRights(resource: ResourceModel, caller: Principal): Rights {
  const { access, fields } = resource
  const given = (rule: Rule) => compileRule(rule, resource, caller)
  const scopes = scopesOf(caller)
  const right = (name: Right) =>
    scopes && !scopesPermit(scopes, resource.name, name) ? never : given(access[name])
  const lazily = <Value>(make: () => Value) => {
    let made: Value | undefined
    return () => (made ??= make())
  }
  const sight = lazily(() => new Map(fields.map((field) => [field, sightOf(field, given)])))
  const writing = lazily(() => new Map(fields.map((field) => [field, writingOf(field, given)])))
  const transitions = lazily(() => {
    const steps = fields.flatMap((field) => field.state?.transitions ?? [])
    return new Map(steps.map((step) => [step, step.by ? given(step.by) : always]))
  })
  return {
    resource,
    read: right('read'),
    create: caller.kind !== 'account' && requiresAccount(resource) ? never : right('create'),
    update: right('update'),
    delete: right('delete'),
    // Worked out when they are asked for: who only looks for what it may list needs none of them.
    get visibility() {
      return sight()
    },
    get writability() {
      return writing()
    },
    get transitions() {
      return transitions()
    },
  }
}

/** Whether every item belongs to whoever made it, so that only an account can make one. */
function requiresAccount({ fields }: ResourceModel): boolean {
  return fields.some((field) => field.fromPrincipal && field.required)
}

function sightOf(field: FieldModel, given: (rule: Rule) => Condition): Condition {
  if (field.writeOnly) return never
  return field.visibleTo ? given(field.visibleTo) : always
}

function writingOf(field: FieldModel, given: (rule: Rule) => Condition): Condition {
  if (field.readOnly || field.fromPrincipal) return never
  return field.writableBy ? given(field.writableBy) : always
}
