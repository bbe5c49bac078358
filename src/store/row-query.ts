/** Reads of rows as data: lookups and lists. */

import type { Stored } from '../definition/model.ts'
import type { Condition, DerivedValue } from './condition.ts'
import type { ReferredRows } from './group-query.ts'
import type { UnsavedRows } from './unsaved-rows.ts'

export interface RowLookup {
  readonly table: string
  /** `_identity`, or a unique column. */
  readonly column: string
  readonly value: Exclude<Stored, null>
  readonly evaluated: readonly Condition[]
  /** Rows that the read sees as if they were stored; undefined: none. */
  readonly unsaved?: UnsavedRows | undefined
}

export interface RowQuery {
  readonly table: string
  readonly condition: Condition
  /** The last column must be unique, so that the order is total. Missing values sort first ascending. */
  readonly order: readonly Order[]
  /** Values of the order's terms: only rows after this position are returned. */
  readonly after: readonly Stored[] | undefined
  readonly limit: number
  /**
   * The list may end after the row that exceeds this number of octets, but has at least two rows.
   * Undefined: only `limit` applies.
   */
  readonly octets?: number | undefined
  readonly evaluated: readonly Condition[]
  /** Only rows that refer to these rows, and of each only the first by id. */
  readonly firstReferring?: FirstReferringRows | undefined
  /** Each row has only the values of these columns and the results of conditions; undefined: whole rows. */
  readonly columns?: readonly string[] | undefined
  /** A batch of a scan of the whole collection, whose pages are not worth caching. */
  readonly scan?: true
  /** Rows that the read sees as if they were stored; undefined: none. */
  readonly unsaved?: UnsavedRows | undefined
}

export interface Order {
  readonly column: string
  readonly descending: boolean
  /** The references from the row to the row with the column; undefined: the row itself has it. */
  readonly through?: readonly OrderStep[] | undefined
  /** Orders by this value instead of the column. */
  readonly derived?: DerivedValue | undefined
}

export interface FirstReferringRows extends ReferredRows {
  /** How many rows that refer to the same row. */
  readonly most: number
}

export interface CountOptions {
  /** Counting ends at this number, so that its cost is bounded; undefined: all rows are counted. */
  readonly atMost?: number | undefined
  /** Rows that the read sees as if they were stored; undefined: none. */
  readonly unsaved?: UnsavedRows | undefined
}

/** A reference to follow. A target that does not satisfy the condition counts as missing. */
export interface OrderStep {
  readonly reference: string
  readonly condition: Condition
}
