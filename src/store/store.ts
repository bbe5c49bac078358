/**
 * The store: where rows live. This interface is the contract; every driver keeps all of it, and
 * one suite (test/store/contract.ts) holds each driver against it.
 *
 * A row leaves the store as an array in column order and stays one until a representation writes
 * it. Reads see everything acknowledged before they began. A write is data; it is applied whole
 * or not at all, and is acknowledged only when it would survive a power cut.
 */

import type { Stored } from '../definition/model.ts'
import type { Condition } from './condition.ts'
import type { Row, RowText } from './row.ts'

/** A driver may answer at once; whoever asks awaits. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with what was answered: at once where it was, for a promise costs as much as a read. */
export function andThen<T, Result>(
  answered: MaybePromise<T>,
  goOn: (value: T) => MaybePromise<Result>,
): MaybePromise<Result> {
  return answered instanceof Promise ? answered.then(goOn) : goOn(answered)
}

export interface Store {
  /** One row, or undefined where none has the value in that column. */
  find(query: RowLookup): MaybePromise<Row | undefined>
  /**
   * The rows for which the condition is true, in the order asked for, from the position on. Throws
   * StoreUnavailable (`slow`) where that takes longer than a statement may, as `count` does.
   */
  list(query: RowQuery): MaybePromise<readonly Row[]>
  /** How many rows the condition is true for. */
  count(table: string, condition: Condition): MaybePromise<number>
  /** Whether the condition would hold on a row with these values (in column order), stored or not. */
  satisfies(table: string, values: Row, condition: Condition): MaybePromise<boolean>
  /** The row that `find` would give if one with these values (in column order) were stored. */
  previewRow(table: string, values: Row, conditions: readonly Condition[]): MaybePromise<Row>
  /**
   * Applies the writes in order, in one transaction with their change-log entries: all of them, or
   * none and the outcome of the first that failed, with its place. Throws StoreUnavailable where
   * nothing can be said of any write: then nothing was acknowledged.
   */
  write(writes: readonly Write[]): Promise<WriteOutcome>
  /**
   * A number that grows with every change of the table, and with nothing else; undefined where
   * writers run side by side, for there counting would make each wait for the one before.
   */
  revision(table: string): MaybePromise<number | undefined>
  /** What an ExpectWrite is held against later: the state of the table now. */
  mark(table: string): MaybePromise<string>
  /** A version above every one that a row of the table ever had, for an identity that may return. */
  firstVersion(table: string): MaybePromise<number>
  /** What remains of a removed row, where its table keeps tombstones. The newest for that id. */
  tombstone(table: string, id: string): MaybePromise<Tombstone | undefined>
  /** The identity of the row that had the id before it was given another, and is still there. */
  identityOfFormerId(table: string, id: string): MaybePromise<string | undefined>
  /** The answer kept under the name, unless its time is over (in milliseconds). */
  storedResponse(name: string, now: number): MaybePromise<StoredResponse | undefined>
  /** The change log after a position, oldest first; complete up to the last one returned. */
  changes(after: number, limit: number): MaybePromise<readonly ChangeLogEntry[]>
  /** 32 random octets kept under the name, made on first use, the same for every node. */
  secret(name: string): MaybePromise<Uint8Array>
  /** Does the work while no other node does any of its kind; such as making the first account. */
  withExclusiveLock<Result>(work: () => Promise<Result>): Promise<Result>
  /** Octets that the database takes up. */
  size(): MaybePromise<number>
  /**
   * A store for reads that may be so many seconds behind, where there is one to spare this one;
   * a driver without copies has none. It is good for one errand, and not closed.
   */
  replica?(seconds: number): Store | undefined
  /** Resolves when it can read and write and its tables fit; throws StoreUnavailable when not. */
  check(): MaybePromise<void>
  /** Waits for writes under way, then lets go of the database. */
  close(): Promise<void>
}

export interface RowLookup {
  readonly table: string
  /** `_identity`, or a unique column. */
  readonly column: string
  readonly value: Exclude<Stored, null>
  readonly evaluate: readonly Condition[]
}

export interface RowQuery {
  readonly table: string
  readonly condition: Condition
  /** The last one must be unique, so that the order is total. Missing values sort first ascending. */
  readonly order: readonly Order[]
  /** Values of the order's columns: rows strictly after (in the order given) are returned. */
  readonly after: readonly Stored[] | undefined
  readonly limit: number
  /**
   * The list may end with the row that makes its octets more than this, though not before the
   * second. Undefined: it has as many rows as the limit says.
   */
  readonly octets?: number | undefined
  readonly evaluate: readonly Condition[]
  /** Each row as this text, then the values of the order's columns, then the answers, and no more. */
  readonly text?: RowText | undefined
  /** One batch of a walk through the whole collection: what it reads is not worth remembering. */
  readonly scan?: true
}

export interface Order {
  readonly column: string
  readonly descending: boolean
}

export type Write =
  | InsertWrite
  | ReplaceWrite
  | RemoveWrite
  | ExpectWrite
  | RequireWrite
  | ResponseWrite

export interface InsertWrite {
  readonly kind: 'insert'
  readonly table: string
  /** In column order, `_identity`, `_version` (1) and times included. */
  readonly values: readonly Stored[]
  /** Must hold on the new row. */
  readonly result: Condition
}

export interface ReplaceWrite {
  readonly kind: 'replace'
  readonly table: string
  readonly identity: string
  /** The version expected; the row then has `version + 1`. */
  readonly version: number
  /** In column order, all of them; `_identity` and `createdAt` must be as they were. */
  readonly values: readonly Stored[]
  /** Must hold on the row as it was. */
  readonly guard: Condition
  /** Must hold on the row as it becomes. */
  readonly result: Condition
}

export interface RemoveWrite {
  readonly kind: 'remove'
  readonly table: string
  readonly identity: string
  readonly version: number
  readonly guard: Condition
  /** The time of removal, for the change log and the tombstone. */
  readonly at: string
}

/** Changes nothing: refused as stale where the table was changed since the mark was taken. */
export interface ExpectWrite {
  readonly kind: 'expect'
  readonly table: string
  readonly mark: string
}

/** Changes nothing: refused where no row of the table satisfies the condition after the writes before it. */
export interface RequireWrite {
  readonly kind: 'require'
  readonly table: string
  readonly condition: Condition
}

/** Keeps an answer together with the effect it tells of. */
export interface ResponseWrite extends StoredResponse {
  readonly kind: 'answer'
  readonly name: string
  readonly now: number
  /** From then on it is as if it were not there, and is removed by and by. */
  readonly until: number
}

export interface StoredResponse {
  /** Tells whether a later question is the one that was answered. */
  readonly fingerprint: string
  readonly text: string
}

export type WriteOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly index: number; readonly reason: WriteRefusal }

export type WriteRefusal =
  /** The row is not there any more, or not in the version expected. */
  | { readonly kind: 'stale' }
  /** The guard or the result does not hold. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'duplicate'; readonly columns: readonly string[] }
  /** A reference names a row that is not there. */
  | { readonly kind: 'dangling'; readonly columns: readonly string[] }
  /** Held by references that restrict: the first 100 holders. */
  | { readonly kind: 'referenced'; readonly by: readonly ReferringRow[] }
  /** The removal would cascade to more than 1,000 rows. */
  | { readonly kind: 'too-many'; readonly limit: number }
  /** No row satisfies what a RequireWrite requires. */
  | { readonly kind: 'unmet' }
  /** An answer is kept under the name already. */
  | { readonly kind: 'answered' }

export interface ReferringRow {
  readonly table: string
  readonly column: string
  readonly identity: string
}

export interface ChangeLogEntry {
  readonly position: number
  readonly kind: 'inserted' | 'replaced' | 'removed'
  readonly table: string
  readonly identity: string
  /** What its URI ended in at the time. */
  readonly id: string
  readonly version: number
  readonly at: string
}

export interface Tombstone {
  readonly identity: string
  readonly at: string
  /** The row's last values in column order; secret columns are not kept (null). */
  readonly values: readonly Stored[]
}

/** The store cannot do its work now: nothing asked of it in this call was acknowledged. */
export class StoreUnavailable extends Error {
  /**
   * `full`: no room to write; reads go on. `away`: nothing works for now. `slow`: this question
   * took longer than any may; others go on. `unfit`: another node has changed the tables, and they
   * no longer fit the definition. `damaged`: what is stored contradicts itself; nothing is written
   * any more.
   */
  readonly reason: 'full' | 'unreachable' | 'slow' | 'unfit' | 'damaged'

  constructor(reason: StoreUnavailable['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreUnavailable'
    this.reason = reason
  }
}

/** The store cannot be opened; the message says to the operator what is wrong and what to do. */
export class StoreOpenError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreOpenError'
  }
}
