/**
 * Compiles the rules that compare values: `where`, `exists`, and the reference of `owner`. The
 * values come from the definition, the caller's account or the row being judged. Each rule is
 * compiled for the rows on which it holds or for those on which it fails (rule-condition.ts).
 */

import type { FieldModel, RelationModel, ResourceModel } from '../definition/model.ts'
import { findRuleStep } from '../definition/relations.ts'
import {
  type Constant,
  groupByStep,
  ITEM_ITSELF,
  isDynamicValue,
  needsCaller,
  type Rule,
  type RuleFields,
  type RuleValue,
  splitPath,
} from '../definition/rule.ts'
import {
  all,
  any,
  type Comparison,
  type Condition,
  compares,
  type EqualPair,
  equals,
  existsIn,
  isOneOf,
  never,
  not,
  onRelated,
  present,
} from '../store/condition.ts'
import type { Principal } from './principal.ts'

export type RuleOutcome = 'holds' | 'fails'

/** The resource whose rows are judged, and the caller. */
export interface RuleScope {
  readonly resource: ResourceModel
  readonly caller: Principal
}

/** Compares the reference at the end of the path with the caller's account. */
export function compileIsCaller(
  outcome: RuleOutcome,
  path: readonly string[],
  { caller }: RuleScope,
): Condition {
  if (caller.kind !== 'account') return never
  return outcome === 'holds' ? equals(path, caller.identity) : differs(path, caller.identity)
}

/** Compiles `where`: all comparisons must hold, and one that fails is enough to fail. */
export function compileWhere(outcome: RuleOutcome, fields: RuleFields, scope: RuleScope): Condition {
  const conditions = Object.entries(fields).map(([path, value]) =>
    compileComparison(outcome, splitPath(path), value, scope),
  )
  return outcome === 'holds' ? all(conditions) : any(conditions)
}

function compileComparison(
  outcome: RuleOutcome,
  steps: readonly string[],
  value: RuleValue,
  scope: RuleScope,
): Condition {
  const path = columnsOf(steps)
  if (!isDynamicValue(value)) {
    return compareConstants(outcome, path, encodeConstants(fieldAt(scope.resource, steps), value))
  }
  switch (value.kind) {
    case 'caller':
      return compileIsCaller(outcome, path, scope)
    case 'caller-field': {
      const same = matchCallerField(scope, path, value.name)
      if (outcome === 'holds') return same
      return all([present(path), hasCallerField(scope, value.name), not(same)])
    }
    case 'its': {
      const other = columnsOf(value.path)
      const same: Condition = { kind: 'equal-columns', paths: [path, other] }
      return outcome === 'holds' ? same : all([present(path), present(other), not(same)])
    }
  }
}

/**
 * Compiles `exists`. It fails where every value that it compares is known and no record has them
 * all; a field that a record lacks has none of the values.
 */
export function compileExists(
  outcome: RuleOutcome,
  { collection, fields }: Extract<Rule, { kind: 'exists' }>,
  scope: RuleScope,
): Condition {
  const values = Object.values(fields)
  if (scope.caller.kind !== 'account' && values.some(needsCaller)) return never
  const { of, pairs } = compileExistsTarget({ collection, fields }, scope)
  const found = existsIn(collection, of, pairs)
  if (outcome === 'holds') return found
  return all([...values.map((value) => isKnown(value, scope)), not(found)].filter(isDefined))
}

/** The records that an `exists` looks for. */
export interface SoughtRecords {
  readonly target: ResourceModel
  /** Without the values that depend on the row being judged. */
  readonly of: Condition
  /** The columns that must have the values of the row being judged. */
  readonly pairs: readonly EqualPair[]
}

/** Compiles the records that an `exists` looks for. */
export function compileExistsTarget(
  { collection, fields }: Pick<Extract<Rule, { kind: 'exists' }>, 'collection' | 'fields'>,
  scope: RuleScope,
): SoughtRecords {
  // The definition was checked, so the collection exists.
  const target = scope.resource.ruleTargets.resources.get(collection) as ResourceModel
  return { target, of: compileRecord(fields, { ...scope, resource: target }), pairs: pairsOf(fields) }
}

/** Compiles the values of a record and of those behind it. A step without a record has none of the values. */
function compileRecord(fields: RuleFields, scope: RuleScope): Condition {
  const { own, behind } = groupByStep(fields)
  const compared = Object.entries(own).filter(([, value]) => !isIts(value))
  return all([
    ...compared.map(([name, value]) => compileComparison('holds', [name], value, scope)),
    ...[...behind].map(([name, inner]) => {
      // The definition was checked, so the step leads to records.
      const step = findRuleStep(scope.resource, name) as RelationModel
      return onRelated(step, compileRecord(inner, { ...scope, resource: step.target }))
    }),
  ])
}

function isIts(value: RuleValue): value is Extract<RuleValue, { kind: 'its' }> {
  return isDynamicValue(value) && value.kind === 'its'
}

function pairsOf(fields: RuleFields): readonly EqualPair[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    isIts(value) ? [{ path: columnsOf(value.path), column: columnOf(name) }] : [],
  )
}

/** True where the value is present; undefined for values that always are. */
function isKnown(value: RuleValue, scope: RuleScope): Condition | undefined {
  if (!isDynamicValue(value) || value.kind === 'caller') return undefined
  if (value.kind === 'caller-field') return hasCallerField(scope, value.name)
  return value.path.join() === ITEM_ITSELF ? undefined : present(columnsOf(value.path))
}

function isDefined(condition: Condition | undefined): condition is Condition {
  return condition !== undefined
}

/** True where the path ends in the value that the field of the caller's account has now. */
function matchCallerField(scope: RuleScope, path: readonly string[], name: string): Condition {
  const { caller, resource } = scope
  if (caller.kind !== 'account') return never
  const pairs = [{ path, column: columnOf(name) }]
  return existsIn(accountsTable(resource), equals(['_identity'], caller.identity), pairs)
}

function hasCallerField({ caller, resource }: RuleScope, name: string): Condition {
  if (caller.kind !== 'account') return never
  const own = equals(['_identity'], caller.identity)
  return existsIn(accountsTable(resource), all([own, present([columnOf(name)])]))
}

function accountsTable({ ruleTargets }: ResourceModel): string {
  // The definition was checked: a rule with a field of the caller needs accounts.
  return ruleTargets.accounts as string
}

function compareConstants(
  outcome: RuleOutcome,
  path: readonly string[],
  values: Comparison['values'],
): Condition {
  if (values.length === 0) return never
  if (outcome === 'fails') return all(values.map((stored) => differs(path, stored)))
  return isOneOf(path, values)
}

function encodeConstants(field: FieldModel, value: Constant | readonly Constant[]) {
  const given = typeof value === 'object' ? value : [value]
  return given.map((allowed) => field.encode(allowed)).filter((stored) => stored !== null)
}

/** The field at the end of a path; the definition was checked, so every step exists. */
function fieldAt(resource: ResourceModel, [name = '', ...rest]: readonly string[]): FieldModel {
  const field = resource.fieldByName.get(name) as FieldModel
  return rest.length === 0 ? field : fieldAt(field.ref?.resource as ResourceModel, rest)
}

function columnsOf(steps: readonly string[]): readonly string[] {
  return steps.map(columnOf)
}

function columnOf(name: string): string {
  return name === ITEM_ITSELF ? '_identity' : name
}

/** Holds when the value is present and another; a missing value satisfies no comparison. */
function differs(path: readonly string[], value: Comparison['values'][number]): Condition {
  return compares(path, 'ne', value)
}
