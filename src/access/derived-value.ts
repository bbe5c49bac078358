/**
 * Derived aggregates for a caller. Only items count that the caller finds in the sub-collection, and on
 * which it sees the fields that the value is computed from.
 */

import type { AggregateDerivedModel } from '../definition/model.ts'
import { needsCaller } from '../definition/rule.ts'
import { systemFields } from '../definition/system-fields.ts'
import { all, always, type Condition, type DerivedValue, never } from '../store/condition.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import type { Principal } from './principal.ts'
import { rightsOf } from './rights.ts'
import { compileRule } from './rule-condition.ts'
import { shownColumn } from './shown-change.ts'
import { subCollectionRights } from './sub-collection-rights.ts'

/** Returns how the store computes the value for the caller; the same object for each caller. */
export function derivedValueFor(derived: AggregateDerivedModel, caller: Principal): DerivedValue {
  return valuesOfCaller(caller)(derived)
}

const valuesOfCaller = memoizeByObject((caller: Principal) =>
  memoizeByObject((derived: AggregateDerivedModel): DerivedValue => {
    const { operation, inverse, source } = derived
    return {
      operation,
      table: inverse.target.name,
      reference: inverse.field.name,
      condition: countedCondition(derived, caller),
      column: source && shownColumn(rightsOf(inverse.target, caller), source),
    }
  }),
)

/** Whether every caller sees the same value, because the rules hide nothing that it is computed from. */
export function isSameForEveryCaller(derived: AggregateDerivedModel, caller: Principal): boolean {
  const values = Object.values(derived.rule?.fields ?? {})
  return visibleCondition(derived, caller).kind === 'always' && !values.some(needsCaller)
}

function countedCondition(derived: AggregateDerivedModel, caller: Principal): Condition {
  const { inverse, rule } = derived
  const chosen = rule ? compileRule(rule, inverse.target, caller) : always
  return all([visibleCondition(derived, caller), chosen])
}

/** The items of the inverse that the caller may use for the value. */
function visibleCondition({ inverse, source, rule }: AggregateDerivedModel, caller: Principal): Condition {
  const { target } = inverse
  const { visibility } = rightsOf(target, caller)
  const names = [...(source ? [source.name] : []), ...Object.keys(rule?.fields ?? {})]
  // `createdAt` and `updatedAt` are visible on every row.
  const visible = names
    .filter((name) => !systemFields.has(name))
    .map((name) => {
      const field = target.fieldByName.get(name)
      return (field && visibility.get(field)) ?? never
    })
  return all([subCollectionRights(inverse, caller).read, ...visible])
}
