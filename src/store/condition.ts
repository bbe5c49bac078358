/**
 * Conditions on a row, as data. Access rules and filters are both translated into conditions. The
 * database evaluates them in lists, lookups and writes; evaluate-condition.ts evaluates those that the
 * row alone decides, with the same result. See decision 0001.
 */

import type { RelationModel, Stored } from '../definition/model.ts'

export type Condition =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | Comparison
  | { readonly kind: 'all'; readonly of: readonly Condition[] }
  | { readonly kind: 'any'; readonly of: readonly Condition[] }
  /** True where the inner condition is false or unknown because a value is missing. */
  | { readonly kind: 'not'; readonly of: Condition }
  | ReferenceCondition
  | ExistsCondition
  | EqualColumns
  | SearchCondition
  | DerivedComparison

export interface Comparison {
  readonly kind: 'compare'
  /** Column names; all but the last are references to follow. */
  readonly path: readonly string[]
  readonly operator: Operator
  /** Several for `in`, none for `missing`, otherwise one. */
  readonly values: readonly Exclude<Stored, null>[]
}

/** True where the inner condition is true for the referenced row, or for one row of a set of references. */
export interface ReferenceCondition {
  readonly kind: 'reference'
  readonly reference: string
  readonly of: Condition
}

/**
 * True where the table has a row on which the inner condition is true and whose columns equal the
 * values at the paths. A missing value equals nothing.
 */
export interface ExistsCondition {
  readonly kind: 'exists'
  readonly table: string
  readonly of: Condition
  readonly pairs: readonly EqualPair[]
}

/** A path from the row being judged, and the column of the other row with the same value. */
export interface EqualPair {
  readonly path: readonly string[]
  readonly column: string
}

/** True where the values at the two paths are present and equal. */
export interface EqualColumns {
  readonly kind: 'equal-columns'
  readonly paths: readonly [readonly string[], readonly string[]]
}

/** True where each word is a prefix of a word in the searched columns of the row. */
export interface SearchCondition {
  readonly kind: 'search'
  /** As `splitWords` returns them. */
  readonly words: readonly string[]
}

/** Compares a value that is computed from the rows which refer to the row. */
export interface DerivedComparison extends Pick<Comparison, 'operator' | 'values'> {
  readonly kind: 'derived'
  readonly value: DerivedValue
}

/**
 * A value computed from the rows of a table that refer to the row and satisfy the condition. It is
 * missing where no such row has a value; `count` and `sum` are then 0. Integers beyond ±(2^53 − 1) and
 * numbers beyond binary64 are missing too; numbers nearer to 0 than 1e-300 count as 0, and decimals beyond
 * 64 bits as the greatest or least of them.
 */
export interface DerivedValue {
  readonly operation: 'count' | 'sum' | 'avg' | 'min' | 'max'
  readonly table: string
  /** The column with the identity of the row. */
  readonly reference: string
  readonly condition: Condition
  /** Undefined for `count`. */
  readonly column: string | undefined
}

/**
 * All operators except `missing` are false for a missing value, `ne` included. `missing` is also
 * true where a reference of the path is missing, and where a set of references is empty. `contains` and `starts` ignore letter case
 * (case-folding.ts). `has` tests for an element of a list; a boolean is 0 or 1.
 */
export type Operator =
  | 'eq'
  | 'ne'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'in'
  | 'contains'
  | 'starts'
  | 'has'
  | 'missing'

export const always: Condition = Object.freeze({ kind: 'always' })
export const never: Condition = Object.freeze({ kind: 'never' })

/** True where the column at the path has the value. */
export function equals(path: readonly string[], value: Exclude<Stored, null>): Condition {
  return compares(path, 'eq', value)
}

/** True where the column at the path has a value that compares so with this one. */
export function compares(
  path: readonly string[],
  operator: Exclude<Operator, 'in' | 'missing'>,
  value: Exclude<Stored, null>,
): Condition {
  return { kind: 'compare', path, operator, values: [value] }
}

/** True where the path leads to no value. */
export function isMissing(path: readonly string[]): Condition {
  return { kind: 'compare', path, operator: 'missing', values: [] }
}

/** True where the column at the path has one of the values. */
export function isOneOf(path: readonly string[], values: readonly Exclude<Stored, null>[]): Condition {
  return { kind: 'compare', path, operator: 'in', values }
}

/** True where all conditions are true; `always` and `never` are simplified. */
export function all(conditions: readonly Condition[]): Condition {
  const of = conditions.filter((condition) => condition.kind !== 'always')
  if (of.some((condition) => condition.kind === 'never')) return never
  if (of.length < 2) return of[0] ?? always
  return { kind: 'all', of }
}

/** True where any condition is true; `always` and `never` are simplified. */
export function any(conditions: readonly Condition[]): Condition {
  const of = conditions.filter((condition) => condition.kind !== 'never')
  if (of.some((condition) => condition.kind === 'always')) return always
  if (of.length < 2) return of[0] ?? never
  return { kind: 'any', of }
}

/** True where the condition is true for the referenced row, or for one row of a set of references. */
export function onReferenced(reference: string, of: Condition): Condition {
  return of.kind === 'never' ? never : { kind: 'reference', reference, of }
}

/** True where the condition is true for a row that the relation leads to. */
export function onRelated({ kind, field, target }: RelationModel, of: Condition): Condition {
  if (kind !== 'inverse') return onReferenced(field.name, of)
  return existsIn(target.name, of, [{ path: ['_identity'], column: field.name }])
}

/** True where the table has a row on which the condition is true and whose columns match. */
export function existsIn(table: string, of: Condition, pairs: readonly EqualPair[] = []): Condition {
  return of.kind === 'never' ? never : { kind: 'exists', table, of, pairs }
}

/** True where the path leads to a value. */
export function present(path: readonly string[]): Condition {
  return not(isMissing(path))
}

/** True where the condition is not true. */
export function not(condition: Condition): Condition {
  if (condition.kind === 'always') return never
  if (condition.kind === 'never') return always
  return { kind: 'not', of: condition }
}

/** Whether the condition is true for every row. */
export function isAlwaysTrue({ kind }: Condition): boolean {
  return kind === 'always'
}

/** Whether the condition may be true for some row. */
export function canBeTrue({ kind }: Condition): boolean {
  return kind !== 'never'
}
