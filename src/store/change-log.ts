/** The change log as the store reads and writes it: one entry for each change of a row, in order. See decision 0045. */

import type { Row } from './row.ts'
import type { LostPositions } from './schema/lost-positions.ts'

export interface ChangeLogEntry {
  /** Increases with each entry. A reader never sees an entry appear behind one that it has read. */
  readonly position: number
  readonly kind: ChangeKind
  /** The name of the transition that the change made; undefined where it made none. */
  readonly action: string | undefined
  readonly table: string
  readonly identity: string
  /** The last segment of its URI at that time. */
  readonly id: string
  readonly version: number
  readonly at: string
  /** Undefined where the write named none. */
  readonly actor: Actor | undefined
  /** The id of the request; undefined where no request made the change. */
  readonly request: string | undefined
  /**
   * The row before and after the change, in column order of the present schema; null for secret
   * columns and for columns that the table did not have. Undefined where there was no such row, and
   * for entries of tables that no longer exist.
   */
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** An `event` changes no row; it is recorded for the audit. */
export type ChangeKind = 'created' | 'updated' | 'deleted' | 'event'

/** Who made a change. An anonymous caller has no member. */
export interface Actor {
  /** The identity of the account. */
  readonly account?: string
  /** The identity of the token that the account used. */
  readonly token?: string
  /** The issuer and the subject of the JWT that the caller used. */
  readonly issuer?: string
  readonly subject?: string
  /** The part of the service that made the change by itself, such as `restwell user`. */
  readonly name?: string
  /** Of a hook: the hooks whose changes led to it, first one first, and itself. */
  readonly path?: readonly string[]
}

/** The name of the actor of an import for which no code of the definition runs. */
export const importWithoutLogic = 'restwell import --no-logic'

/** To whom the entries of a write are attributed. */
export interface Attribution {
  readonly actor: Actor
  /** The id of the request. */
  readonly request?: string
}

/**
 * The times whose entries are pruned: before the first one, and after the second one, which lies
 * ahead and which only a wrong clock can give an entry.
 */
export interface PrunedTimes {
  readonly before: string
  readonly after: string
}

/** The size and span of the log. Entries whose order is not final yet are not part of it. */
export interface LogExtent {
  readonly entries: number
  /** The positions of the first and the last entry: 1 and 0 where there was none ever. */
  readonly first: number
  readonly last: number
  /** The times of these entries; undefined where the log is empty. */
  readonly oldest: string | undefined
  readonly newest: string | undefined
  /** Positions of entries that were lost when the database went back in time. */
  readonly lost: readonly LostPositions[]
}

/** A part of the entries of a table that pruning kept. */
export interface KeptVersionsQuery {
  readonly table: string
  readonly after: { readonly identity: string; readonly version: number } | undefined
  readonly limit: number
}

/** The entries of one row: those before or after a version, in the order away from it. */
export interface RowHistoryQuery {
  readonly table: string
  readonly identity: string
  readonly direction: 'older' | 'newer'
  /** Not included. */
  readonly version: number
  /** Only entries after which the row contains the text, such as the digest of a file; undefined: all. */
  readonly containing?: string | undefined
  readonly limit: number
}

/** A table whose pruned entries are kept as the history of its rows, from that time on. */
export interface KeptHistory {
  readonly table: string
  readonly since: string
}
