/**
 * What the store can be asked of a record: a tree that access rules and filters both become. The
 * database is its one evaluator, for lists, for single records and inside writes alike.
 */

import type { Stored } from '../definition/model.ts'

export type Condition =
  | { readonly kind: 'always' }
  | { readonly kind: 'never' }
  | Comparison
  | { readonly kind: 'all'; readonly of: readonly Condition[] }
  | { readonly kind: 'any'; readonly of: readonly Condition[] }
  /** Two-valued: true wherever the inner one is not true, missing values included. */
  | { readonly kind: 'not'; readonly of: Condition }
  | Through
  | SearchWords

export interface Comparison {
  readonly kind: 'compare'
  /** Column names; each but the last is a reference that is followed. */
  readonly path: readonly string[]
  readonly operator: Operator
  /** `in` takes several; `missing` none. */
  readonly values: readonly Exclude<Stored, null>[]
}

/** True where the reference names a row on which the inner condition holds. */
export interface Through {
  readonly kind: 'through'
  readonly reference: string
  readonly of: Condition
}

/** True where each word begins some word in the columns that the row's table searches. */
export interface SearchWords {
  readonly kind: 'words'
  /** As `wordsOf` cuts them. */
  readonly words: readonly string[]
}

/**
 * All but `missing` are false on a missing value, `ne` included; `missing` is true wherever its
 * path ends early. `contains` and `starts` leave letter case aside (letter-case.ts); `has` looks for an
 * element of a list, given as JSON has it (a boolean as 0 or 1).
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

export function equals(path: readonly string[], value: Exclude<Stored, null>): Condition {
  return { kind: 'compare', path, operator: 'eq', values: [value] }
}

/** All of them, with what is trivially true or false folded away. */
export function all(conditions: readonly Condition[]): Condition {
  const of = conditions.filter((condition) => condition.kind !== 'always')
  if (of.some((condition) => condition.kind === 'never')) return never
  if (of.length < 2) return of[0] ?? always
  return { kind: 'all', of }
}

/** Any of them, with what is trivially true or false folded away. */
export function any(conditions: readonly Condition[]): Condition {
  const of = conditions.filter((condition) => condition.kind !== 'never')
  if (of.some((condition) => condition.kind === 'always')) return always
  if (of.length < 2) return of[0] ?? never
  return { kind: 'any', of }
}

/** A reference that is followed; to nothing that could hold it need not be. */
export function through(reference: string, of: Condition): Condition {
  return of.kind === 'never' ? never : { kind: 'through', reference, of }
}

export function not(condition: Condition): Condition {
  if (condition.kind === 'always') return never
  if (condition.kind === 'never') return always
  return { kind: 'not', of: condition }
}
