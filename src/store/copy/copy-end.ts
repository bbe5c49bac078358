/** The two ends of a copy: what is read from, and what is written to and remembers how far it is. */

import type { Stored } from '../../definition/model.ts'
import type { MaybePromise } from '../store.ts'
import type { CopiedRow, CopiedTable } from './copied-table.ts'

export type RowKey = readonly Stored[]

export interface CopyEnd extends AsyncDisposable {
  /** As people are told of it: without a password. */
  readonly displayName: string
  /** Rows after the key, in the order of keys. */
  rows(
    table: CopiedTable,
    after: RowKey | undefined,
    limit: number,
  ): MaybePromise<readonly CopiedRow[]>
  count(table: CopiedTable): MaybePromise<number>
}

/** Nobody writes to it for as long as it is open. */
export interface CopyOrigin extends CopyEnd {
  counters(): MaybePromise<CopyCounters>
}

/** Counters that only ever grow: a copy goes on where the origin stood. */
export interface CopyCounters {
  /** The last position that was given in the change log. */
  readonly position: number
  /** Not below any version that a row ever had, nor the number of changes there were. */
  readonly entries: number
  /** By table, where the origin counts them. */
  readonly revisions: Readonly<Record<string, number>> | undefined
}

/** Refused when opened where it has other tables or other rows than this copy's. */
export interface CopyDestination extends CopyEnd {
  /** Where a copy into it has come to; undefined where none was begun. */
  loadProgress(): MaybePromise<CopyProgress | undefined>
  /** The rows and the mark, both or neither. Durable once it returns. */
  saveBatch(table: CopiedTable, rows: readonly CopiedRow[], mark: CopyProgress): MaybePromise<void>
  /** Makes it a database that a service can be started on, all at once. */
  finish(counters: CopyCounters, mark: CopyProgress): MaybePromise<void>
}

export interface CopyProgress {
  /** What the origin was when the copy began. */
  readonly state: string
  readonly tables: Readonly<Record<string, TableProgress>>
  /** When it was finished. */
  readonly finished: string | undefined
}

export interface TableProgress {
  readonly rows: number
  /** The key of the last row that is there; undefined where none is yet. */
  readonly after: RowKey | undefined
  readonly done: boolean
}

/** Under this name the mark stands in `_meta`. */
export const progressRecord = 'copy'

/** What an operator is told who would use a copy that is not whole; undefined where it is. */
export function formatUnfinishedCopy(
  database: string,
  mark: string | undefined,
): string | undefined {
  if (mark === undefined || (JSON.parse(mark) as CopyProgress).finished !== undefined)
    return undefined
  return `${database} holds a copy that is not finished. Run the same \`restwell copy\` again: it goes on where it stopped.`
}
