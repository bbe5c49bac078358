/** Queries for aggregates of rows, by groups or by the rows that they refer to. */

import type { Condition } from './condition.ts'
import type { UnsavedRows } from './unsaved-rows.ts'

export interface ReferredRows {
  readonly reference: string
  /** The identities of the rows that are referred to. */
  readonly to: readonly string[]
}

export interface GroupQuery {
  readonly table: string
  readonly condition: Condition
  /** Aggregates the rows that refer to each of these rows by themselves; there are no groups then. */
  readonly referringTo?: ReferredRows | undefined
  readonly groups: readonly StoredGroup[]
  readonly aggregates: readonly StoredAggregate[]
  /** The most groups to return. */
  readonly limit: number
  /** The result may end after the row that exceeds this number of octets, but has at least two rows. */
  readonly octets: number
  /** Rows that the read sees as if they were stored; undefined: none. */
  readonly unsaved?: UnsavedRows | undefined
}

/** Rows are in the same group where they have the same value, or none. */
export interface StoredGroup {
  readonly column: string
  /** The part of a time, in UTC: its first characters. Undefined: the whole value. */
  readonly part: TimePart | undefined
}

export type TimePart = 'year' | 'month' | 'day'

/** How many characters of a time a part has: 2026, 2026-11, 2026-11-05. */
export const timePartLength: Readonly<Record<TimePart, number>> = { year: 4, month: 7, day: 10 }

/**
 * `count` is the number of rows, or of those with a value in the column. `sum` is an exact decimal as
 * text, of a decimal column without its point; null where no row has a value, as `min` and `max` are.
 */
export type StoredAggregate =
  | { readonly kind: 'count'; readonly column: string | undefined }
  | { readonly kind: 'sum' | 'min' | 'max'; readonly column: string }
