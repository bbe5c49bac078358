/** Options of a resource or field in the model: access, history, caching and files. */

import type { Rule } from './rule.ts'

export interface AccessModel {
  readonly read: Rule
  readonly create: Rule
  readonly update: Rule
  readonly delete: Rule
}

/** The history of items: their former versions. */
export interface HistoryModel {
  /** Seconds that versions are kept; undefined: as long as the change log. */
  readonly keep: number | undefined
  /** Undefined: every caller who may read the item. */
  readonly read: Rule | undefined
}

export interface CacheModel {
  readonly maxAge: number
  /** Of composite representations; undefined: they are revalidated. */
  readonly compositeMaxAge: number | undefined
  readonly staleWhileRevalidate: number | undefined
  /** Whether shared caches may store it; true by default. */
  readonly shared: boolean
}

/** The limits of the content of a file. */
export interface FileModel {
  /** Media types, and ranges such as `image/*`. */
  readonly types: readonly string[]
  /** In octets. */
  readonly max: number
}
