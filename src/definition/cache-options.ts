/** How long caches may use responses: the option `cache` of resources and queries. */

import { type FaultReport, prefixReport } from './definition-fault.ts'
import type { CacheModel } from './option-models.ts'
import {
  booleanOption,
  checkOptions,
  isComplete,
  type OptionTable,
  required,
  wholeNumber,
} from './option-table.ts'

export interface CacheOptions {
  /** In seconds. */
  readonly maxAge: number
  /** The `maxAge` of representations with embedded items; without it caches revalidate them. */
  readonly compositeMaxAge?: number
  readonly staleWhileRevalidate?: number
  /** Whether shared caches may keep it; true unless said otherwise. */
  readonly shared?: boolean
}

/** RFC 9111 §1.2.2: the greatest value that caches must support. */
const seconds = wholeNumber(0, 2 ** 31 - 1)
export const cacheOptionTable = {
  maxAge: required(seconds, 'A cache needs it in seconds, such as maxAge: 60.'),
  compositeMaxAge: seconds,
  staleWhileRevalidate: seconds,
  shared: booleanOption,
} satisfies OptionTable

/** Returns the model; undefined without the option, and where it has a fault. */
export function createCacheModel(given: unknown, report: FaultReport): CacheModel | undefined {
  if (given === undefined) return undefined
  const cache = checkOptions(given, cacheOptionTable, prefixReport('Cache', report))
  if (!isComplete(cache, cacheOptionTable)) return undefined
  const { maxAge, compositeMaxAge, staleWhileRevalidate, shared = true } = cache
  return { maxAge, compositeMaxAge, staleWhileRevalidate, shared }
}
