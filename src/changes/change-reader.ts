/**
 * Reads the change log for a viewer: the visible changes after a position, each with the position to
 * resume from. Feeds, streams and histories of a caller are read with it.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChangeLogEntry } from '../store/change-log.ts'
import { type LoadedEntry, type LogSource, loadEntries } from './loaded-entry.ts'
import type { FeedPosition } from './position-token.ts'
import { isFollowing, type Viewer } from './viewer.ts'
import { findVisibleChanges, type VisibleChange } from './visible-change.ts'

/** A change, and the position after it. */
export interface PositionedChange {
  readonly change: VisibleChange
  readonly after: FeedPosition
}

/** A part of the log in order. */
export interface LogPart {
  readonly entries: readonly ChangeLogEntry[]
  /** Whether entries between the position and the part are missing, because they were pruned. */
  readonly isPruned: boolean
}

/** Entries that are read at a time. */
const maxPartEntries = 100

/** The next entries after a position; none at the end of the log. */
export async function readLogPart({ store }: LogSource, after: number): Promise<LogPart> {
  const entries = await store.readChanges(after, maxPartEntries)
  const [first] = entries
  // Positions may have gaps, so only the extent of the log tells whether entries were pruned.
  const isAdjacent = first === undefined || first.position === after + 1
  return { entries, isPruned: !isAdjacent && (await store.logExtent()).first > after + 1 }
}

/** Whether the log still has, or may yet get, the entry after this position. */
export async function isKept(
  { store }: LogSource,
  { position, changesRead }: FeedPosition,
): Promise<boolean> {
  const { first, last } = await store.logExtent()
  const next = changesRead === 0 ? position + 1 : position
  if (next < first) return false
  // A position ahead of the log is from a database that was replaced by an older copy.
  return position <= last || position <= ((await store.lastPosition()) ?? last)
}

/** The changes of these entries that the viewer sees, in order, from a position on. */
export async function findChanges(
  { store }: LogSource,
  entries: readonly LoadedEntry[],
  viewer: Viewer,
  from: FeedPosition,
): Promise<readonly PositionedChange[]> {
  const found: PositionedChange[] = []
  for (const logged of entries) {
    const { position, table } = logged.entry
    if (position < startOf(from) || !isFollowing(viewer, table)) continue
    const changes = await findVisibleChanges(store, logged, viewer)
    const seen = position === from.position ? from.changesRead : 0
    for (const [at, change] of changes.entries()) {
      const changesRead = at + 1 === changes.length ? 0 : at + 1
      if (at >= seen) found.push({ change, after: { position, changesRead } })
    }
  }
  return found
}

/** The position of the first entry that is not completely read. */
export function startOf({ position, changesRead }: FeedPosition): number {
  return changesRead === 0 ? position + 1 : position
}

export interface ChangePage {
  readonly changes: readonly PositionedChange[]
  /** Where the next page begins. */
  readonly next: FeedPosition
}

/**
 * The first changes after a position that the viewer sees, at most `limit`. Hidden entries are read
 * until the limit is reached or the log ends, so that a page does not show how many there are.
 */
export async function readChangePage(
  source: LogSource,
  viewer: Viewer,
  { from, limit }: { readonly from: FeedPosition; readonly limit: number },
): Promise<ChangePage> {
  const found: PositionedChange[] = []
  let next = from
  for (;;) {
    const { entries, isPruned } = await readLogPart(source, startOf(next) - 1)
    if (isPruned) return resetPage(source)
    const last = entries.at(-1)
    if (!last) return { changes: found, next }
    const loaded = await loadEntries(source, entries, (table) => isFollowing(viewer, table))
    found.push(...(await findChanges(source, loaded, viewer, next)))
    const end = found[limit - 1]
    if (end && found.length > limit) return { changes: found.slice(0, limit), next: end.after }
    next = { position: last.position, changesRead: 0 }
    if (end) return { changes: found, next }
    await nextTurn()
  }
}

/** A page for a reader whose position the log no longer has: it continues at the end of the log. */
export async function resetPage({ store }: LogSource): Promise<ChangePage> {
  const next = { position: (await store.lastPosition()) ?? 0, changesRead: 0 }
  return { changes: [{ change: { kind: 'reset' }, after: next }], next }
}
