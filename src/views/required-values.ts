/**
 * The values that a rule requires in a form, so that the form offers only values that can succeed.
 * The store checks the rule again when it writes.
 */

import type { Stored } from '../definition/model.ts'
import { all, always, any, type Condition, never, not } from '../store/condition.ts'

/** The condition with the comparisons of known columns replaced by their results. */
export function partiallyEvaluate(condition: Condition, known: ReadonlyMap<string, Stored>): Condition {
  switch (condition.kind) {
    case 'compare': {
      const [column = '', ...rest] = condition.path
      const decides = condition.operator === 'eq' || condition.operator === 'in'
      if (rest.length > 0 || !decides || !known.has(column)) return condition
      const value = known.get(column) ?? null
      return condition.values.some((one) => isSame(one, value)) ? always : never
    }
    case 'all':
      return all(condition.of.map((one) => partiallyEvaluate(one, known)))
    case 'any':
      return any(condition.of.map((one) => partiallyEvaluate(one, known)))
    case 'not':
      return not(partiallyEvaluate(condition.of, known))
    default:
      return condition
  }
}

/** Columns to the values that satisfy the condition; one alternative, if there are several. */
export type RequiredValues = ReadonlyMap<string, readonly Stored[]>

/** The values that satisfy the condition, as far as they can be derived. */
export function requiredValues(condition: Condition): RequiredValues {
  switch (condition.kind) {
    case 'compare': {
      const [column = '', ...rest] = condition.path
      const decides = condition.operator === 'eq' || condition.operator === 'in'
      return new Map(rest.length > 0 || !decides ? [] : [[column, condition.values]])
    }
    case 'all':
      return condition.of.map(requiredValues).reduce(intersectAll, new Map())
    case 'any':
      return condition.of.map(requiredValues).reduce(mergeAlternatives)
    default:
      return new Map()
  }
}

/** Whether the condition reads one of the columns. */
export function dependsOnColumns(condition: Condition, columns: ReadonlySet<string>): boolean {
  switch (condition.kind) {
    case 'compare':
      return columns.has(condition.path[0] ?? '')
    case 'all':
    case 'any':
      return condition.of.some((one) => dependsOnColumns(one, columns))
    case 'not':
      return dependsOnColumns(condition.of, columns)
    case 'reference':
      return columns.has(condition.reference)
    case 'exists':
      return condition.pairs.some(({ path }) => columns.has(path[0] ?? ''))
    case 'equal-columns':
      return condition.paths.some(([column = '']) => columns.has(column))
    default:
      return false
  }
}

function intersectAll(a: RequiredValues, b: RequiredValues): RequiredValues {
  const merged = new Map(a)
  for (const [column, values] of b) {
    const earlier = merged.get(column)
    const kept = earlier?.filter((one) => values.some((other) => isSame(one, other)))
    merged.set(column, kept ?? values)
  }
  return merged
}

/** Joins alternatives on the same column; otherwise returns the first. */
function mergeAlternatives(a: RequiredValues, b: RequiredValues): RequiredValues {
  const [[column, values] = ['', []], ...more] = a
  const others = b.get(column)
  if (!others || more.length > 0 || b.size > 1) return a
  return new Map([[column, [...new Set([...values, ...others])]]])
}

function isSame(a: Stored, b: Stored): boolean {
  return a !== null && b !== null && String(a) === String(b)
}
