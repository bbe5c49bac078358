/**
 * A filter: what records must be like, as a tree checked against the model and what the caller
 * sees. It comes from a query string or from the content of a QUERY, and is the same from both.
 */

import type { JsonValue, ResourceModel } from '../definition/model.ts'
import { didYouMean, findNearestName } from '../definition/name-suggestion.ts'
import { all, any, type Condition, not, type Operator, through } from '../store/condition.ts'
import { memoizeByObject } from '../tools/memoize.ts'
import { createComparison, maxInValues, operatorsOf } from './comparison.ts'
import type { QueryParameter } from './query-parameter.ts'
import type { Attribute, QueryableFields, QueryableFieldsOf } from './queryable-fields.ts'

export type Filter =
  | FilterLeaf
  | { readonly kind: 'all' | 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }

export interface FilterLeaf {
  readonly kind: 'leaf'
  readonly condition: Condition
  /** The same as a parameter of a query string. */
  readonly parameter: QueryParameter
  /** The resources it looks into besides its own. */
  readonly through: readonly ResourceModel[]
}

/** At most so many comparisons in a filter, and so many names in a path or levels in a tree. */
export const maxConditions = 20
export const maxFilterDepth = 5
/** At most so many groups, negations and comparisons together: the most that 20 comparisons need. */
export const maxFilterNodes = maxConditions * (maxFilterDepth + 1)

export interface Comparand {
  /** As the client wrote it, such as `author.name`. */
  readonly path: string
  readonly operator: string
  /** As the parameter's value would write it. */
  readonly text: string
  /** The values as JSON has them; what they must be instead where they cannot be read. */
  values(attribute: Attribute): { readonly value: readonly JsonValue[] } | { expected: string }
}

/** Why a comparison was refused; told by the name of the parameter or the place in the content. */
export type LeafFault =
  | {
      readonly kind: 'unknown-field'
      readonly hint: string | undefined
      /** The paths that are known where this one went astray. */
      readonly known: readonly string[]
    }
  | { readonly kind: 'unknown-operator'; readonly detail: string }
  | { readonly kind: 'invalid'; readonly reason: string }

export function parseLeaf(
  queryableFields: QueryableFieldsOf,
  resource: ResourceModel,
  comparand: Comparand,
  otherNames: readonly string[] = [],
): FilterLeaf | LeafFault {
  const ways = comparisonCache(queryableFields(resource))
  const asked = `${comparand.path}[${comparand.operator}]`
  const known = ways.get(asked)
  const way = known ?? resolveComparison(queryableFields, resource, comparand, otherNames)
  if (way.kind !== 'way') return way
  // As many as there are fields and operators; what is behind references is not kept.
  if (!known && way.hops.length === 0) ways.set(asked, way)
  const { attribute, operator, hops, parameter, through } = way
  const condition = parseCondition(attribute, operator, comparand)
  if ('expected' in condition) return { kind: 'invalid', reason: `must be ${condition.expected}` }
  return {
    kind: 'leaf',
    condition: throughReferences(hops, condition.value),
    parameter: [parameter, comparand.text],
    through,
  }
}

const comparisonCache = memoizeByObject(
  (_: QueryableFields) => new Map<string, ResolvedComparison>(),
)

/** What a path and an operator mean, whatever the value. */
interface ResolvedComparison extends ResolvedPath {
  readonly kind: 'way'
  readonly operator: Operator
  /** The name of the parameter that says so. */
  readonly parameter: string
  readonly through: readonly ResourceModel[]
}

function resolveComparison(
  queryableFields: QueryableFieldsOf,
  resource: ResourceModel,
  comparand: Comparand,
  otherNames: readonly string[],
): ResolvedComparison | LeafFault {
  const { path } = comparand
  const names = path.split('.')
  if (names.length > maxFilterDepth) {
    return { kind: 'invalid', reason: `follows more than ${maxFilterDepth - 1} references` }
  }
  const way = resolvePath(queryableFields, resource, names, otherNames)
  if ('kind' in way) return way
  const { attribute, hops } = way
  if (!attribute.filterable || hops.some((hop) => !hop.reference.filterable)) {
    return { kind: 'invalid', reason: 'cannot be filtered by' }
  }
  const known = operatorsOf(attribute)
  const operator = known.find((name) => name === comparand.operator)
  if (!operator) return unknownOperator(comparand, known)
  const parameter = operator === 'eq' ? path : `${path}[${operator}]`
  const through = hops.map((hop) => hop.queryable.resource)
  return { kind: 'way', attribute, hops, operator, parameter, through }
}

interface ResolvedPath {
  readonly hops: readonly Hop[]
  readonly attribute: Attribute
}

interface Hop {
  readonly reference: Attribute
  /** Of what it refers to. */
  readonly queryable: QueryableFields
}

/** Hidden names end here exactly as names do that nothing has. */
function resolvePath(
  queryableFields: QueryableFieldsOf,
  resource: ResourceModel,
  names: readonly string[],
  otherNames: readonly string[],
): ResolvedPath | LeafFault {
  const hops: Hop[] = []
  let queryable = queryableFields(resource)
  for (const [depth, name] of names.entries()) {
    const attribute = queryable.attributes.get(name)
    const target = attribute?.field?.ref?.resource
    if (attribute && depth === names.length - 1) return { hops, attribute }
    const next = target && queryableFields(target)
    if (!attribute || !next || next.rights.read.kind === 'never') {
      const fields = attribute ? [] : filterableNames(queryable)
      const candidates = names.length === 1 ? [...fields, ...otherNames] : fields
      const known = candidates.map((one) => [...names.slice(0, depth), one].join('.'))
      return { kind: 'unknown-field', hint: suggestPath(names, depth, candidates), known }
    }
    hops.push({ reference: attribute, queryable: next })
    queryable = next
  }
  throw new Error('A path has at least one name')
}

/** What a filter may name, as far as the caller sees it. */
export function filterableNames({ attributes }: QueryableFields): readonly string[] {
  return [...attributes.values()].filter((one) => one.filterable).map(({ name }) => name)
}

/** The path again, with the nearest name where it went astray. */
function suggestPath(names: readonly string[], depth: number, known: readonly string[]) {
  const near = findNearestName(names[depth] ?? '', known)
  return near === undefined ? undefined : `Did you mean '${names.with(depth, near).join('.')}'?`
}

function unknownOperator({ operator, path }: Comparand, known: readonly Operator[]): LeafFault {
  const hint = didYouMean(operator, known) ?? `Known are ${known.join(', ')}.`
  return { kind: 'unknown-operator', detail: `No operator '${operator}' for '${path}'. ${hint}` }
}

function parseCondition(attribute: Attribute, operator: Operator, comparand: Comparand) {
  const reading = comparand.values(attribute)
  if ('expected' in reading) return reading
  if (reading.value.length > maxInValues) return { expected: `at most ${maxInValues} values` }
  if (operator !== 'missing') return createComparison(attribute, operator, reading.value)
  const [truth] = reading.value
  if (typeof truth !== 'boolean') return { expected: 'true or false' }
  const missing: Condition = {
    kind: 'compare',
    path: [attribute.column],
    operator: 'missing',
    values: [],
  }
  return { value: truth ? missing : not(missing) }
}

/**
 * What is referred to counts only where the caller may read it: what is hidden is as if it were
 * not there, so that nothing of it can be found out by asking.
 */
function throughReferences(hops: readonly Hop[], condition: Condition): Condition {
  if (hops.length === 0) return condition
  const missing = condition.kind === 'compare' && condition.operator === 'missing'
  const inner = hops.reduceRight(
    (of, { reference, queryable }) => through(reference.column, all([queryable.rights.read, of])),
    missing ? not(condition) : condition,
  )
  // A path that ends early ends in nothing, which is missing.
  return missing ? not(inner) : inner
}

/** The tree as the condition it stands for. */
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

/** The comparisons that all must hold, where there is nothing else in the tree; else undefined. */
export function flatLeaves(filter: Filter): readonly FilterLeaf[] | undefined {
  if (filter.kind === 'leaf') return [filter]
  if (filter.kind !== 'all') return undefined
  if (filter.of.every((one) => one.kind === 'leaf')) return filter.of
  const parts = filter.of.map(flatLeaves)
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined
}

/** One text for all filters that say the same in another order, whoever asks. */
export function canonicalFilter(filter: Filter): string {
  switch (filter.kind) {
    case 'leaf':
      return JSON.stringify(filter.parameter)
    case 'not':
      return `not(${canonicalFilter(filter.of)})`
    case 'any':
      return `any(${sortedDistinct(filter.of.map(canonicalFilter)).join()})`
    case 'all': {
      const parts = flatLeaves(filter) ?? filter.of
      const texts = sortedDistinct(parts.map(canonicalFilter))
      return texts.length === 1 ? texts.join() : `all(${texts.join()})`
    }
  }
}

/** Each once, sorted; they are few. */
function sortedDistinct(texts: readonly string[]): readonly string[] {
  const sorted: string[] = []
  for (const text of texts) {
    let at = sorted.length
    while (at > 0 && (sorted[at - 1] as string) > text) at -= 1
    if (at === 0 || sorted[at - 1] !== text) sorted.splice(at, 0, text)
  }
  return sorted
}
