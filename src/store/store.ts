/**
 * The interface of the store, which both drivers implement; test/store/contract.ts tests each.
 *
 * A read sees every write that was acknowledged before it began. Writes are data; a list of writes
 * is applied completely or not at all, and acknowledged only when it would survive a power cut.
 */

import type { Stored } from '../definition/model.ts'
import { OperatorFault } from '../tools/operator-fault.ts'
import type { AuditStore } from './audit-store.ts'
import type {
  Attribution,
  ChangeLogEntry,
  KeptHistory,
  KeptVersionsQuery,
  LogExtent,
  PrunedTimes,
  RowHistoryQuery,
} from './change-log.ts'
import type { Condition } from './condition.ts'
import type { GroupQuery } from './group-query.ts'
import type { Row } from './row.ts'
import type { CountOptions, RowLookup, RowQuery } from './row-query.ts'
import type { UnsavedRows } from './unsaved-rows.ts'
import type {
  ReadTableState,
  RepeatedRead,
  StoredResponse,
  Write,
  WriteOutcome,
  WrittenRow,
} from './write.ts'

export type { CountOptions, FirstReferringRows, Order, OrderStep, RowLookup, RowQuery } from './row-query.ts'
export type { UnsavedRows } from './unsaved-rows.ts'

/** A value or a promise of it: SQLite reads synchronously, which is faster. Callers await it. */
export type MaybePromise<T> = T | Promise<T>

export interface Store {
  /** The row with the value in that column; undefined where there is none. */
  find(query: RowLookup): MaybePromise<Row | undefined>
  /**
   * The rows that satisfy the condition, in order, after the position. Throws StoreUnavailable
   * (`slow`) after the time limit for statements, as `count` does.
   */
  list(query: RowQuery): MaybePromise<readonly Row[]>
  /** The number of rows that satisfy the condition, up to `atMost`. */
  count(table: string, condition: Condition, options?: CountOptions): MaybePromise<number>
  /**
   * One row for each group of the rows that satisfy the condition, in no particular order: the values
   * of the groups; the key of the target of each group that refers to a table with a key column; the
   * aggregates. Without groups, one row. With `referringTo`, one row for each identity: the identity and
   * the aggregates of the rows that refer to it. Throws StoreUnavailable as `list` does.
   */
  aggregate(query: GroupQuery): MaybePromise<readonly Row[]>
  /** Whether a row with these values (in column order) satisfies the condition, stored or not. */
  satisfies(table: string, values: Row, condition: Condition, unsaved?: UnsavedRows): MaybePromise<boolean>
  /** The row that `find` would return if a row with these values (in column order) were stored. */
  previewRow(
    table: string,
    values: Row,
    conditions: readonly Condition[],
    unsaved?: UnsavedRows,
  ): MaybePromise<Row>
  /**
   * Applies the writes in order, in one transaction with their change-log entries: all of them, or
   * none, with the index of the first refused write. Throws StoreUnavailable where the outcome is
   * unknown; then nothing was acknowledged.
   */
  write(writes: readonly Write[], attribution?: Attribution): Promise<WriteOutcome>
  /**
   * A number that increases with every change of the table, or with each that every reader of the
   * changed row sees. Undefined on PostgreSQL, where a counter would make concurrent writers wait for
   * each other.
   */
  revision(table: string, changes?: RevisedChanges): MaybePromise<number | undefined>
  /** The table's present state as text, for ExpectUnchanged. */
  tableState(table: string): MaybePromise<string>
  /**
   * The states of all tables that the read depends on, for a RepeatRead. Undefined on PostgreSQL, where
   * they cost more than to repeat the read.
   */
  tableStatesOf(read: RepeatedRead): MaybePromise<readonly ReadTableState[] | undefined>
  /** A version above all versions that rows of the table ever had, for an identity that may be reused. */
  firstVersion(table: string): MaybePromise<number>
  /** The newest tombstone of the id; undefined where there is none. */
  findTombstone(table: string, id: string): MaybePromise<Tombstone | undefined>
  /** The identity of the present row that had this id before; undefined where there is none. */
  findIdentityByFormerId(table: string, id: string): MaybePromise<string | undefined>
  /** The response stored under the name, unless it has expired (in milliseconds). */
  findStoredResponse(name: string, now: number): MaybePromise<StoredResponse | undefined>
  /**
   * The change log after a position, oldest first, without gaps. Large values make a page shorter
   * than the limit; only an empty page is the end.
   */
  readChanges(after: number, limit: number): MaybePromise<readonly ChangeLogEntry[]>
  /** The position of the last entry: rows that are read later have its change. Undefined on a replica. */
  lastPosition(): MaybePromise<number | undefined>
  logExtent(): MaybePromise<LogExtent>
  /**
   * Deletes at most `limit` of the oldest entries, up to the first one that is not from these times.
   * Returns how many; 0 also where another node is deleting them. Entries of kept histories remain
   * readable by `rowHistory`.
   */
  pruneLog(times: PrunedTimes, limit: number, kept?: readonly KeptHistory[]): Promise<number>
  /**
   * The changes of one row, without its deletion, from the log and from what pruning kept. Large values
   * make a page shorter than the limit; only an empty page is the end.
   */
  rowHistory(query: RowHistoryQuery): MaybePromise<readonly ChangeLogEntry[]>
  /** The entries of a table that pruning kept, by identity and version, after one of them. */
  keptVersions(query: KeptVersionsQuery): MaybePromise<readonly ChangeLogEntry[]>
  /** Deletes at most `limit` entries that pruning kept and no history needs any more; returns how many. */
  pruneHistory(kept: readonly KeptHistory[], limit: number): Promise<number>
  /** The audit of all changes. */
  readonly audit: AuditStore
  /** 32 random octets stored under the name: created on first use, the same for every node. */
  loadSecret(name: string): MaybePromise<Uint8Array>
  /** Runs the work while no other node runs any under this lock, such as creating the first account. */
  withExclusiveLock<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Runs the work while no other node or process runs any under the same name. Returns undefined
   * without running it where the lock was not free within so many milliseconds. The lock ends by itself
   * when its process dies.
   */
  withNamedLock<Result>(
    name: string,
    milliseconds: number,
    work: () => Promise<Result>,
  ): Promise<Result | undefined>
  /**
   * Runs the work under a lock on the row, which other writers of the row wait for. The first write of the store that the
   * work gets is committed with it. Only PostgreSQL has it: where several nodes change one row.
   */
  lockRow?<Result>(row: WrittenRow, work: (store: Store) => Promise<Result>): Promise<Result>
  /**
   * Runs the work with a store whose reads all show one moment. Its reads throw StoreUnavailable (`slow`) after so many
   * milliseconds, and when the work has ended. It cannot write.
   */
  withSnapshot<Result>(milliseconds: number, work: (store: Store) => Promise<Result>): Promise<Result>
  /** The time of the database in milliseconds, where it has a clock of its own. */
  now?(): number
  /** The size of the database in octets. */
  databaseSize(): MaybePromise<number>
  /** The octets that are left on the disk of the database. PostgreSQL does not tell them. */
  freeSpace?(): number
  /**
   * A store that reads from a replica at most so many seconds behind; undefined where there is
   * none. Valid for one request; callers do not close it.
   */
  replica?(seconds: number): Store | undefined
  /** Resolves when the store can read and write and its tables fit; else throws StoreUnavailable. */
  check(): MaybePromise<void>
  /** Waits for writes in progress, then closes the database. */
  close(): Promise<void>
}

/** The changes that a revision counts; by default all. */
export type RevisedChanges = 'all' | 'public'

export interface Tombstone {
  readonly identity: string
  readonly at: string
  /** The row's last values in column order; null for secret columns. */
  readonly values: readonly Stored[]
}

/** The store cannot serve this call; nothing in it was acknowledged. */
export class StoreUnavailable extends OperatorFault {
  /**
   * `full`: the disk is full; reads still work. `unreachable`: nothing works for now. `slow`: this
   * statement exceeded its time limit. `unfit`: the tables no longer fit the definition, because
   * another node changed them. `damaged`: the database file is corrupt; nothing is written.
   */
  readonly reason: 'full' | 'unreachable' | 'slow' | 'unfit' | 'damaged'

  constructor(reason: StoreUnavailable['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** The store cannot be opened; the message tells the operator why and what to do. */
export class StoreOpenError extends OperatorFault {}
