/** Options of a resource in the model: access, history and caching. */

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
