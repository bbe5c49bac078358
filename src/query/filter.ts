/**
 * Filters as trees, checked against the model and the fields that the caller may query. Query
 * strings and the content of QUERY give the same trees.
 */

import type { Reading } from '../definition/field-kind.ts'
import type { AggregateDerivedModel, JsonValue } from '../definition/model.ts'
import { didYouMean } from '../definition/name-suggestion.ts'
import {
  all,
  any,
  type Condition,
  type DerivedValue,
  isMissing,
  not,
  type Operator,
  present,
} from '../store/condition.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { createComparison, maxInValues, operatorsOf } from './comparison.ts'
import { conditionAlongSteps, type PathStep, parseSteps, resolveValuePath, type ValuePath } from './path.ts'
import type { QueryParameter } from './query-parameter.ts'
import type { QueryableFields, ValueAttribute } from './queryable-fields.ts'

export type Filter =
  | FilterLeaf
  | { readonly kind: 'all' | 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }

export interface FilterLeaf {
  readonly kind: 'leaf'
  readonly condition: Condition
  /** The comparison as a query parameter. */
  readonly parameter: QueryParameter
  /** The steps to the items that it compares. */
  readonly steps: readonly PathStep[]
  /** The derived field that it compares. */
  readonly derivedField: AggregateDerivedModel | undefined
}

/** The most comparisons in a filter, and the most levels in a tree. */
export const maxConditions = 20
export const maxFilterDepth = 5
/** The most groups, negations and comparisons together: as many as 20 comparisons can need. */
export const maxFilterNodes = maxConditions * (maxFilterDepth + 1)

/** A comparison as the client wrote it. */
export interface WrittenComparison {
  /** Such as `author.name`. */
  readonly path: string
  readonly operator: string
  /** The value as text of a query parameter. */
  readonly text: string
  /** The values as JSON, or what is expected instead. */
  values(attribute: ValueAttribute): Reading<readonly JsonValue[]>
}

/** Why a comparison is refused. */
export type LeafFault =
  | {
      readonly kind: 'unknown-field'
      readonly hint: string | undefined
      /** The paths that would be valid. */
      readonly known: readonly string[]
    }
  | { readonly kind: 'unknown-operator'; readonly detail: string }
  | { readonly kind: 'invalid'; readonly reason: string }

/** Parses a comparison to a leaf of a filter. */
export function parseLeaf(
  queryable: QueryableFields,
  comparison: WrittenComparison,
  otherNames: readonly string[] = [],
): FilterLeaf | LeafFault {
  const cache = comparisonCache(queryable)
  const key = `${comparison.path}[${comparison.operator}]`
  const known = cache.get(key)
  const resolved = known ?? resolveComparison(queryable, comparison, otherNames)
  if (resolved.kind !== 'resolved') return resolved
  // Only paths of one step are cached, so the cache is bounded by fields times operators.
  if (!known && resolved.steps.length === 0) cache.set(key, resolved)
  const { operator, steps, parameter } = resolved
  const condition = parseCondition(resolved, operator, comparison)
  if ('expected' in condition) return { kind: 'invalid', reason: `must be ${condition.expected}` }
  return {
    kind: 'leaf',
    condition: comparisonAlongSteps(steps, condition.value),
    parameter: [parameter, comparison.text],
    steps,
    derivedField: resolved.attribute.derivedField,
  }
}

const comparisonCache = memoizeByObject((_: QueryableFields) => new Map<string, ResolvedComparison>())

/** A path and an operator, resolved against the model. */
interface ResolvedComparison extends ValuePath {
  readonly kind: 'resolved'
  readonly operator: Operator
  /** The name of the query parameter. */
  readonly parameter: string
}

function resolveComparison(
  queryable: QueryableFields,
  comparison: WrittenComparison,
  otherNames: readonly string[],
): ResolvedComparison | LeafFault {
  const { path } = comparison
  const names = parseSteps(path)
  if ('kind' in names) return { kind: 'invalid', reason: names.reason }
  const resolved = resolveValuePath(queryable, names, otherNames)
  if ('kind' in resolved) return { ...resolved, kind: 'unknown-field' }
  const { attribute, steps, derived } = resolved
  if (!attribute.filterable || steps.some(({ relation }) => !relation.field.filterable)) {
    return { kind: 'invalid', reason: 'cannot be used to filter' }
  }
  const known = operatorsOf(attribute)
  const operator = known.find((name) => name === comparison.operator)
  if (!operator) return unknownOperator(comparison, known)
  const parameter = operator === 'eq' ? path : `${path}[${operator}]`
  return { kind: 'resolved', attribute, steps, derived, operator, parameter }
}

function unknownOperator({ operator, path }: WrittenComparison, known: readonly Operator[]): LeafFault {
  const hint = didYouMean(operator, known) ?? `Expected: ${known.join(', ')}.`
  return {
    kind: 'unknown-operator',
    detail: `Unknown operator '${operator}' for '${path}'. ${hint}`,
  }
}

/** The condition on the item that has the value. */
function parseCondition(
  { attribute, derived }: ValuePath,
  operator: Operator,
  comparison: WrittenComparison,
) {
  const condition = parseComparison(attribute, operator, comparison)
  return derived && 'value' in condition ? { value: onDerived(derived, condition.value) } : condition
}

function parseComparison(attribute: ValueAttribute, operator: Operator, comparison: WrittenComparison) {
  const reading = comparison.values(attribute)
  if ('expected' in reading) return reading
  if (reading.value.length > maxInValues) return { expected: `at most ${maxInValues} values` }
  if (operator !== 'missing') return createComparison(attribute, operator, reading.value)
  const [isAbsent] = reading.value
  if (typeof isAbsent !== 'boolean') return { expected: 'true or false' }
  return { value: isAbsent ? isMissing([attribute.column]) : present([attribute.column]) }
}

/** The condition with the comparisons of the field replaced by those of the derived value. */
function onDerived(value: DerivedValue, condition: Condition): Condition {
  switch (condition.kind) {
    case 'compare':
      return { kind: 'derived', value, operator: condition.operator, values: condition.values }
    case 'not':
      return not(onDerived(value, condition.of))
    case 'all':
    case 'any':
      return { ...condition, of: condition.of.map((one) => onDerived(value, one)) }
    default:
      return condition
  }
}

/**
 * The condition on the items at the end of the steps. An item that the caller may not read counts as
 * absent, so that filters reveal nothing about it.
 */
function comparisonAlongSteps(steps: readonly PathStep[], condition: Condition): Condition {
  if (steps.length === 0) return condition
  const missing = 'operator' in condition && condition.operator === 'missing'
  const inner = conditionAlongSteps(steps, missing ? not(condition) : condition)
  // If there is no item at the end of the path, the value is missing too.
  return missing ? not(inner) : inner
}

/** The condition of a filter, for the store. */
export function filterCondition(filter: Filter): Condition {
  switch (filter.kind) {
    case 'leaf':
      return filter.condition
    case 'not':
      return not(filterCondition(filter.of))
    case 'all':
      return all(filter.of.map(filterCondition))
    case 'any':
      return any(filter.of.map(filterCondition))
  }
}

export function leavesOf(filter: Filter): readonly FilterLeaf[] {
  if (filter.kind === 'leaf') return [filter]
  return filter.kind === 'not' ? leavesOf(filter.of) : filter.of.flatMap(leavesOf)
}

/** The comparisons of a filter that consists only of `all`; undefined for any other filter. */
function findConjuncts(filter: Filter): readonly FilterLeaf[] | undefined {
  if (filter.kind === 'leaf') return [filter]
  if (filter.kind !== 'all') return undefined
  if (filter.of.every((part) => part.kind === 'leaf')) return filter.of
  const parts = filter.of.map(findConjuncts)
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined
}

/** A text that is equal for filters with the same parts in any order, for every caller. */
export function canonicalFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'leaf':
      return JSON.stringify(filter.parameter)
    case 'not':
      return `not(${canonicalFilter(filter.of)})`
    case 'any':
      return `any(${sortedDistinct(filter.of.map(canonicalFilter)).join()})`
    case 'all': {
      const parts = findConjuncts(filter) ?? filter.of
      const texts = sortedDistinct(parts.map(canonicalFilter))
      return texts.length === 1 ? texts.join() : `all(${texts.join()})`
    }
  }
}

/** The distinct texts in order, by insertion sort because they are few. */
function sortedDistinct(texts: readonly string[]): readonly string[] {
  const sorted: string[] = []
  for (const text of texts) {
    let at = sorted.length
    while (at > 0 && (sorted[at - 1] as string) > text) at -= 1
    if (at === 0 || sorted[at - 1] !== text) sorted.splice(at, 0, text)
  }
  return sorted
}
