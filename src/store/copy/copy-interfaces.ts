/** The interfaces of a copy: the origin, and the destination, which stores the progress. */

import type { Stored } from '../../definition/model.ts'
import type { MaybePromise } from '../store.ts'
import type { CopiedRow, CopiedTable } from './copied-table.ts'

export type RowKey = readonly Stored[]

export interface CopySide extends AsyncDisposable {
  /** The URL without a password, for messages. */
  readonly displayName: string
  /** Rows after the key, in key order. */
  rows(table: CopiedTable, after: RowKey | undefined, limit: number): MaybePromise<readonly CopiedRow[]>
  count(table: CopiedTable): MaybePromise<number>
}

/** The database that is read. It is locked against writes while open. */
export interface CopyOrigin extends CopySide {
  counters(): MaybePromise<CopyCounters>
}

/** Counters that only increase, and that the copy must continue; with the end of the pruned audit. */
export interface CopyCounters {
  /** The last position of the change log. */
  readonly position: number
  /** At least the highest version of any row, and the number of changes. */
  readonly entries: number
  /** By table, where the origin counts them. */
  readonly revisions: Readonly<Record<string, number>> | undefined
  /** The record of the checkpoint of the audit; undefined where nothing of it was pruned. */
  readonly auditCheckpoint: string | undefined
}

/** The database that is written. Opening refuses one with other tables or rows. */
export interface CopyDestination extends CopySide {
  /** The progress of an earlier run; undefined where there was none. */
  loadProgress(): MaybePromise<CopyProgress | undefined>
  /** Stores rows and progress in one transaction; durable when it returns. */
  saveBatch(table: CopiedTable, rows: readonly CopiedRow[], progress: CopyProgress): MaybePromise<void>
  /** Completes the database for a service, in one transaction. */
  finish(counters: CopyCounters, progress: CopyProgress): MaybePromise<void>
}

export interface CopyProgress {
  /** The digest of the origin when the copy began. */
  readonly state: string
  readonly tables: Readonly<Record<string, TableProgress>>
  /** When it was finished. */
  readonly finished: string | undefined
}

export interface TableProgress {
  readonly rows: number
  /** The key of the last copied row; undefined where there is none. */
  readonly after: RowKey | undefined
  readonly done: boolean
}

/** The name of the progress in `_meta`. */
export const progressRecord = 'copy'

/** Why a database with an unfinished copy cannot be used; undefined where it is finished. */
export function formatUnfinishedCopy(database: string, progress: string | undefined): string | undefined {
  if (progress === undefined || (JSON.parse(progress) as CopyProgress).finished !== undefined)
    return undefined
  return `${database} holds an unfinished copy. Run the same \`restwell copy\` again; it continues where it stopped.`
}
