/** The two ends of a copy: what is read from, and what is written to and remembers how far it is. */

import type { Stored } from '../../definition/model.ts'
import type { MaybePromise } from '../store.ts'
import type { CopiedRow, CopiedTable } from './copied-table.ts'

export type Key = readonly Stored[]

export interface CopyEnd extends AsyncDisposable {
  /** As people are told of it: without a password. */
  readonly shown: string
  /** Rows after the key, in the order of keys. */
  rows(
    table: CopiedTable,
    after: Key | undefined,
    limit: number,
  ): MaybePromise<readonly CopiedRow[]>
  count(table: CopiedTable): MaybePromise<number>
}

/** Nobody writes to it for as long as it is open. */
export interface Origin extends CopyEnd {
  counters(): MaybePromise<Counters>
}

/** Counters that only ever grow: a copy goes on where the origin stood. */
export interface Counters {
  /** The last position that was given in the change log. */
  readonly position: number
  /** Not below any version that a row ever had, nor the number of changes there were. */
  readonly entries: number
  /** By table, where the origin counts them. */
  readonly revisions: Readonly<Record<string, number>> | undefined
}

/** Refused when opened where it has other tables or other rows than this copy's. */
export interface Destination extends CopyEnd {
  /** Where a copy into it has come to; undefined where none was begun. */
  mark(): MaybePromise<CopyMark | undefined>
  /** The rows and the mark, both or neither. Durable once it returns. */
  keep(table: CopiedTable, rows: readonly CopiedRow[], mark: CopyMark): MaybePromise<void>
  /** Makes it a database that a service can be started on, all at once. */
  finish(counters: Counters, mark: CopyMark): MaybePromise<void>
}

export interface CopyMark {
  /** What the origin was when the copy began. */
  readonly state: string
  readonly tables: Readonly<Record<string, CopiedTableMark>>
  /** When it was finished. */
  readonly finished: string | undefined
}

export interface CopiedTableMark {
  readonly rows: number
  /** The key of the last row that is there; undefined where none is yet. */
  readonly after: Key | undefined
  readonly done: boolean
}

/** Under this name the mark stands in `_meta`. */
export const MARK = 'copy'

/** What an operator is told who would use a copy that is not whole; undefined where it is. */
export function unfinishedText(database: string, mark: string | undefined): string | undefined {
  if (mark === undefined || (JSON.parse(mark) as CopyMark).finished !== undefined) return undefined
  return `${database} holds a copy that is not finished. Run the same \`restwell copy\` again: it goes on where it stopped.`
}
