/**
 * The audit as the store keeps it: one entry for each entry of the change log, chained by hashes. The
 * hash of an entry covers its metadata, a salted digest of the values, and the hash of the entry before. The chain is
 * continued after the writes: within them each write would wait for hashes, and on PostgreSQL for all other writers.
 */

import { hash } from 'node:crypto'

/** An entry of the audit, without the values of the change. */
export interface AuditEntry extends AuditMetadata {
  /** Counts the entries, without gaps. */
  readonly number: number
  /** SHA-256 of the salt and the values. */
  readonly digest: string
  /** Undefined after the values were erased: without it the digest does not help to guess them. */
  readonly salt: string | undefined
  readonly hash: string
}

export interface AuditMetadata {
  /** The position of the entry in the change log. */
  readonly position: number
  readonly at: string
  readonly kind: string
  readonly table: string
  readonly identity: string
  /** The last segment of the item's URI at that time. */
  readonly id: string
  readonly version: number
  /** JSON of an Actor; undefined where it is not known. */
  readonly actor: string | undefined
  readonly request: string | undefined
}

/** The logged values of a change, as texts. */
export interface LoggedTexts {
  readonly before: string | undefined
  readonly after: string | undefined
}

/** The end of a chain: the next entry continues from it. */
export type ChainEnd = Pick<AuditEntry, 'number' | 'position' | 'hash'>

export interface AuditExtent {
  /** Where the entries that are kept begin. */
  readonly checkpoint: ChainEnd
  readonly end: ChainEnd
}

/** Before the first entry. */
export const emptyChain: ChainEnd = { number: 0, position: 0, hash: '' }

/** The entry that follows the end of the chain. */
export function chainEntry(
  end: ChainEnd,
  metadata: AuditMetadata,
  values: LoggedTexts,
  salt: string,
): AuditEntry {
  const entry = { ...metadata, number: end.number + 1, digest: digestOf(values, salt), salt }
  return { ...entry, hash: hashOf(end.hash, entry) }
}

/** The hash of an entry after the one with the previous hash. */
export function hashOf(previous: string, entry: Omit<AuditEntry, 'hash' | 'salt'>): string {
  const { number, position, at, kind, table, identity, id, version, actor, request, digest } = entry
  const covered = [number, position, at, kind, table, identity, id, version, actor, request, digest]
  return hash('sha256', JSON.stringify([previous, ...covered.map((value) => value ?? null)]), 'base64url')
}

export function digestOf({ before, after }: LoggedTexts, salt: string): string {
  return hash('sha256', JSON.stringify([salt, before ?? null, after ?? null]), 'base64url')
}

/** The tables whose changes have kinds of their own. */
export interface AuditSubjects {
  readonly tokens: string | undefined
  /** The table of the accounts, its column with the roles, and the one that disables them. */
  readonly accounts: string | undefined
  readonly roles: string | undefined
  readonly disabled: string | undefined
}

/** Entries that one query looks at, so that a filter which few entries match is not slow. */
export const maxScannedEntries = 50_000

/** Which entries of the audit to read. */
export interface AuditQuery {
  readonly direction: 'older' | 'newer'
  /** Not included. */
  readonly number: number
  readonly limit: number
  readonly filter: AuditFilter
}

/** All given members must match. */
export interface AuditFilter {
  readonly kind?: string
  readonly table?: string
  readonly id?: string
  /** The identity of an account, the name of a part of the service, or the subject of an issuer. */
  readonly actor?: string
  /** Times, both included. */
  readonly from?: string
  readonly to?: string
}

/** Changes no row; records an event in the change log, for the audit. */
export interface RecordWrite {
  readonly kind: 'record'
  readonly event: 'signed-in' | 'sign-in-failed' | 'erased' | 'access-explained'
  readonly table: string
  /** The identity of the row that it concerns; empty where there is none. */
  readonly identity: string
  readonly id: string
  readonly at: string
}
