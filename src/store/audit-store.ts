/** The interface of the audit of a store. */

import type { AuditEntry, AuditExtent, AuditQuery, AuditSubjects, LoggedTexts } from './audit-chain.ts'

export interface AuditStore {
  /**
   * Continues the chain with the entries of the change log that have a position, in steps of at most
   * `limit`. Returns the width of their range of positions, which may have gaps.
   */
  seal(subjects: AuditSubjects, limit: number): Promise<number>
  /** The entries that match, among the 50,000 next ones. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>
  /** The ends of the pruned part of the chain and of the chain. */
  extent(): Promise<AuditExtent>
  /** Deletes at most `limit` of the oldest entries from before a time; returns how many. */
  prune(before: string, limit: number): Promise<number>
  /** The values that the log or a history still has of these entries, by number. */
  valuesOf(from: number, through: number): Promise<ReadonlyMap<number, LoggedTexts>>
  /** The position of an entry of the log between two positions that the audit does not have. */
  findUnaudited(from: number, through: number): Promise<number | undefined>
  /** Removes the logged values of a row, and what its tombstone, its history and stored responses have of it. */
  erase(row: ErasedRow): Promise<void>
}

export interface ErasedRow {
  readonly table: string
  readonly identity: string
  /** Texts that name the row in responses to requests with an Idempotency-Key: such responses are deleted. */
  readonly names?: readonly string[]
}
