/**
 * Rights: what a caller may do with the rows of a resource, each right as a condition on the row.
 * A right is the declared rule, compiled for the caller, within the scopes of the caller's token.
 * All code takes rights from here.
 */

import type { Extent } from '../definition/json-schemas.ts'
import { type ActionModel, type FieldModel, outputFields, type ResourceModel } from '../definition/model.ts'
import type { Rule } from '../definition/rule.ts'
import type { TransitionModel } from '../definition/state-model.ts'
import { all, always, type Condition, never } from '../store/condition.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { basisCondition, canBeBasis } from './credential-basis.ts'
import { mayGrant } from './given-roles.ts'
import { type Principal, scopesOf } from './principal.ts'
import { compileRule } from './rule-condition.ts'
import { type Right, scopeNameOf, scopesPermit } from './scopes.ts'

export interface Rights {
  readonly resource: ResourceModel
  readonly read: Condition
  /** The rows that lists show the caller, among those that it may read. */
  readonly list: Condition
  readonly create: Condition
  readonly update: Condition
  readonly delete: Condition
  /** The rows whose history the caller may read. */
  readonly history: Condition
  /** The rows on which each field is visible, among those that the caller may read. */
  readonly visibility: ReadonlyMap<FieldModel, Condition>
  /** The rows on which each field may be set, among those that the caller may write. */
  readonly writability: ReadonlyMap<FieldModel, Condition>
  /** The rows on which each transition may be taken, among those that the caller may update. */
  readonly transitions: ReadonlyMap<TransitionModel, Condition>
  /** The rows on which each action may be used; for an action on the collection a condition without a row. */
  readonly actions: ReadonlyMap<ActionModel, Condition>
}

/** Whether the condition holds for no row, for some rows, or for every row. */
export function extentOf(condition: Condition | undefined): Extent {
  if (condition === undefined || condition.kind === 'never') return 'never'
  return condition.kind === 'always' ? 'always' : 'sometimes'
}

/** Returns the rights of the caller, computed once for each caller and resource. */
export function rightsOf(resource: ResourceModel, caller: Principal): Rights {
  return rightsOfCaller(caller)(resource)
}

const rightsOfCaller = memoizeByObject((caller: Principal) =>
  memoizeByObject((resource: ResourceModel) => {
    const within = 'within' in caller ? caller.within : undefined
    const rights = computeRights(resource, caller)
    return within ? withinRights(rights, rightsOf(resource, within)) : rights
  }),
)

/** The rights of a caller as whom an administrator views: what is shown is what both may read. */
function withinRights(rights: Rights, limit: Rights): Rights {
  const visibility = lazy(() =>
    mapToConditions([...rights.visibility.keys()], (field) =>
      all([rights.visibility.get(field) ?? never, limit.visibility.get(field) ?? never]),
    ),
  )
  return {
    resource: rights.resource,
    read: all([rights.read, limit.read]),
    list: all([rights.list, limit.list]),
    history: all([rights.history, limit.history]),
    create: rights.create,
    update: rights.update,
    delete: rights.delete,
    get visibility() {
      return visibility()
    },
    get writability() {
      return rights.writability
    },
    get transitions() {
      return rights.transitions
    },
    get actions() {
      return rights.actions
    },
  }
}

function computeRights(resource: ResourceModel, caller: Principal): Rights {
  if (caller.kind === 'system') return allRights(resource)
  const { access, fields } = resource
  const compile = (rule: Rule) => compileRule(rule, resource, caller)
  const compileOptional = (rule: Rule | undefined) => (rule ? compile(rule) : always)
  const scopes = scopesOf(caller)
  const right = (name: Right) =>
    scopes && !scopesPermit(scopes, scopeNameOf(resource), name) ? never : compile(access[name])
  // Computed on first use: listing collections needs none of them.
  const visibility = lazy(() =>
    mapToConditions(outputFields(resource), (field) =>
      field.writeOnly ? never : compileOptional(field.visibleTo),
    ),
  )
  const writability = lazy(() =>
    mapToConditions(fields, (field) => {
      const isWritable = !field.readOnly && !field.fromPrincipal
      const isGranted = field !== resource.roles || mayGrant(resource, caller)
      return isWritable && isGranted ? compileOptional(field.writableBy) : never
    }),
  )
  const transitions = lazy(() =>
    mapToConditions(
      fields.flatMap((field) => field.state?.transitions ?? []),
      (transition) => compileOptional(transition.by),
    ),
  )
  const actions = lazy(() =>
    mapToConditions([...resource.actions.values()], (action) => {
      const isInScope = !scopes || scopesPermit(scopes, scopeNameOf(resource), actionRight(action))
      const by = isInScope ? compile(action.by) : never
      return action.on === 'item' ? all([right('read'), by]) : by
    }),
  )
  return {
    resource,
    read: right('read'),
    list: resource.listedFor ? all([right('read'), compile(resource.listedFor)]) : right('read'),
    create: canCreate(resource, caller) ? right('create') : never,
    update: all([right('update'), basisCondition(resource, caller)]),
    delete: right('delete'),
    history: resource.history ? all([right('read'), compileOptional(resource.history.read)]) : never,
    get visibility() {
      return visibility()
    },
    get writability() {
      return writability()
    },
    get transitions() {
      return transitions()
    },
    get actions() {
      return actions()
    },
  }
}

/** The rights of the definition's own code: everything except reading write-only fields. */
function allRights(resource: ResourceModel): Rights {
  const { fields } = resource
  return {
    resource,
    read: always,
    list: always,
    create: always,
    update: always,
    delete: always,
    history: always,
    visibility: mapToConditions(outputFields(resource), ({ writeOnly }) => (writeOnly ? never : always)),
    writability: mapToConditions(fields, () => always),
    transitions: mapToConditions(
      fields.flatMap((field) => field.state?.transitions ?? []),
      () => always,
    ),
    actions: mapToConditions([...resource.actions.values()], () => always),
  }
}

/** The right whose scope a token needs: a query reads, an action changes an item, or adds items to a collection. */
export function actionRight({ isSafe, on }: ActionModel): Right {
  if (isSafe) return 'read'
  return on === 'item' ? 'update' : 'create'
}

function canCreate(resource: ResourceModel, caller: Principal): boolean {
  if (caller.kind !== 'account' && requiresAccount(resource)) return false
  return canBeBasis(resource, caller)
}

/** Whether every item refers to the account that created it, so that only accounts can create one. */
function requiresAccount({ fields }: ResourceModel): boolean {
  return fields.some((field) => field.fromPrincipal && field.required)
}

function mapToConditions<Key>(keys: readonly Key[], conditionOf: (key: Key) => Condition) {
  return new Map(keys.map((key) => [key, conditionOf(key)]))
}

function lazy<Value>(compute: () => Value): () => Value {
  let value: Value | undefined
  return () => (value ??= compute())
}
