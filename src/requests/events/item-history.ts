/** Reads the history of an item for a viewer: the versions that it sees, away from a version. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RowHistoryQuery } from '../../store/change-log.ts'
import { findItemVersion, type ItemVersion } from './item-version.ts'
import { type LogSource, loadEntries } from './loaded-entry.ts'
import type { ViewedResource } from './viewer.ts'

export interface HistoryRequest
  extends Pick<RowHistoryQuery, 'identity' | 'direction' | 'version' | 'containing'> {
  readonly viewed: Pick<ViewedResource, 'rights' | 'condition' | 'selector' | 'shown'>
  /** The time from which versions are shown; undefined: all that are kept. */
  readonly since: string | undefined
  readonly limit: number
}

export interface HistoryPage {
  readonly versions: readonly ItemVersion[]
  /** The version after which the next page begins; undefined at the end. */
  readonly next: number | undefined
}

/** Above all versions. */
export const newestVersion = Number.MAX_SAFE_INTEGER

/** Entries that are read at a time. */
const maxPartEntries = 101
/** Entries of one request, which bounds the cost of an item with many hidden versions. */
const maxEntries = 10_000

/**
 * The next versions that the viewer sees, at most `limit`. Hidden versions are read until the limit is
 * reached or the history ends, so that a page does not show how many there are.
 */
export async function readHistoryPage(source: LogSource, request: HistoryRequest): Promise<HistoryPage> {
  const { identity, direction, containing, limit, viewed } = request
  const table = viewed.rights.resource.name
  const versions: ItemVersion[] = []
  let { version } = request
  for (let changesRead = 0; changesRead < maxEntries; ) {
    const part = Math.min(limit + 1, maxPartEntries)
    const entries = await source.store.rowHistory({
      table,
      identity,
      direction,
      version,
      containing,
      limit: part,
    })
    for (const logged of await loadEntries(source, entries, () => true)) {
      const { entry } = logged
      if (request.since !== undefined && entry.at < request.since) return { versions, next: undefined }
      const found = await findItemVersion(logged, viewed)
      if (found && versions.length === limit) return { versions, next: versions.at(-1)?.entry.version }
      if (found) versions.push(found)
      // Earlier entries are those of a deleted item with the same identity.
      if (direction === 'older' && entry.kind === 'created') return { versions, next: undefined }
      version = entry.version
    }
    if (entries.length === 0) return { versions, next: undefined }
    changesRead += entries.length
    await nextTurn()
  }
  return { versions, next: version }
}
