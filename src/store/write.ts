/** Writes as data: changes, and what must hold for them, which the store applies in one transaction. */

import type { Stored } from '../definition/model.ts'
import type { RecordWrite } from './audit-chain.ts'
import type { Attribution } from './change-log.ts'
import type { Condition } from './condition.ts'
import type { GroupQuery } from './group-query.ts'
import type { Row } from './row.ts'
import type { RowLookup, RowQuery } from './row-query.ts'

export type Write =
  | InsertWrite
  | UpdateWrite
  | DeleteWrite
  | ExpectUnchanged
  | RepeatRead
  | RequireRow
  | ResponseWrite
  | RecordWrite

/** The row that a write changes or deletes. */
export interface WrittenRow {
  readonly table: string
  readonly identity: string
}

export interface InsertWrite {
  readonly kind: 'insert'
  readonly table: string
  /** In column order, `_identity`, `_version` (1) and times included. */
  readonly values: readonly Stored[]
  /** The new row must satisfy it. */
  readonly conditionAfter: Condition
  /** The time of the change, for the change log; by default `updatedAt`. */
  readonly loggedAt?: string | undefined
}

export interface UpdateWrite {
  readonly kind: 'update'
  readonly table: string
  readonly identity: string
  /** The expected version; the row then has `version + 1`. */
  readonly version: number
  /** All values in column order; `_identity` and `createdAt` must be unchanged. */
  readonly values: readonly Stored[]
  /** The row in the expected version, for the change log. */
  readonly previous: Row
  /** The name of the transition, for the change log. */
  readonly action?: string | undefined
  /** To whom it is attributed; undefined: like the other writes of its transaction. */
  readonly attribution?: Attribution | undefined
  /** The row must satisfy it before the change. */
  readonly conditionBefore: Condition
  /** The row must satisfy it after the change. */
  readonly conditionAfter: Condition
}

export interface DeleteWrite {
  readonly kind: 'delete'
  readonly table: string
  readonly identity: string
  readonly version: number
  readonly conditionBefore: Condition
  /** The time of the deletion, for the change log and the tombstone. */
  readonly at: string
  /**
   * Tables whose references to the deleted rows the preceding writes have cleared. Refused as stale
   * where the deletion would clear another one.
   */
  readonly clearedTables?: readonly string[]
}

/** Changes nothing; refused as stale where the table has changed since the state. */
export interface ExpectUnchanged {
  readonly kind: 'expect'
  readonly table: string
  readonly state: string
}

/**
 * Changes nothing; refused as stale where the read, after the preceding writes, no longer gives the
 * same rows in the same versions.
 */
export interface RepeatRead {
  readonly kind: 'repeat'
  readonly read: RepeatedRead
  /** The result of the read, as `foundIn` returns it. */
  readonly found: string
  /**
   * The states of all tables that the read depends on, from before the read: where they are unchanged, it is
   * not repeated. Undefined: it is always repeated.
   */
  readonly tableStates?: readonly ReadTableState[] | undefined
}

export interface ReadTableState {
  readonly table: string
  readonly state: string
}

export type RepeatedRead =
  | { readonly kind: 'find'; readonly query: RowLookup }
  | { readonly kind: 'list'; readonly query: RowQuery }
  | {
      readonly kind: 'count'
      readonly table: string
      readonly condition: Condition
      readonly atMost?: number | undefined
    }
  | { readonly kind: 'aggregate'; readonly query: GroupQuery }

/** Changes nothing; refused where no row satisfies the condition after the preceding writes. */
export interface RequireRow {
  readonly kind: 'require'
  readonly table: string
  readonly condition: Condition
}

/** Stores a response together with the effect it describes. */
export interface ResponseWrite extends StoredResponse {
  readonly kind: 'response'
  readonly name: string
  readonly now: number
  /** When it expires; later writes delete it. */
  readonly until: number
}

export interface StoredResponse {
  /** Identifies the request that the response belongs to. */
  readonly fingerprint: string
  readonly text: string
}

export type WriteOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly index: number; readonly reason: WriteRefusal }

export type WriteRefusal =
  /** The row is gone or has another version. */
  | { readonly kind: 'stale' }
  /** The row does not satisfy the condition before or after the change. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'duplicate'; readonly columns: readonly string[] }
  /** A reference names a row that does not exist. */
  | { readonly kind: 'missing-reference'; readonly columns: readonly string[] }
  /** Rows with `onDelete: 'restrict'` refer to it: the first 100 of them. */
  | { readonly kind: 'referenced'; readonly by: readonly ReferringRow[] }
  /** The deletion would cascade to more than 1,000 rows. */
  | { readonly kind: 'too-many'; readonly limit: number }
  /** No row satisfies the condition of a RequireRow. */
  | { readonly kind: 'no-required-row' }
  /** After all changes no row satisfies the condition of `Schema.lastRow`. */
  | { readonly kind: 'last-row' }
  /** A response is already stored under the name. */
  | { readonly kind: 'response-exists' }

export interface ReferringRow {
  readonly table: string
  readonly column: string
  readonly identity: string
}
