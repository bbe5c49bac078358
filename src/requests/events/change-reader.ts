/**
 * Reads the change log for a viewer: the visible changes after a position, each with the position to
 * resume from. Feeds, streams and histories of a caller are read with it.
 */

import { randomInt } from 'node:crypto'
import type { ChangeLogEntry } from '../../store/change-log.ts'
import { countCharacters } from '../../store/row-size.ts'
import { isLost } from '../../store/schema/lost-positions.ts'
import type { Store } from '../../store/store.ts'
import { type LoadedEntry, type LogSource, loadEntries } from './loaded-entry.ts'
import type { FeedPosition } from './position-token.ts'
import type { ReadInTurn } from './reading-turns.ts'
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
  /** Whether entries between the position and the part are missing: they were pruned, or the database went back in time. */
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
  return { entries, isPruned: !isAdjacent && (await hasGap(store, after)) }
}

/** Whether entries after the position are missing, or it is that of a lost entry. */
async function hasGap(store: Store, after: number): Promise<boolean> {
  const { first, lost } = await store.logExtent()
  return first > after + 1 || isLost(after, lost)
}

/** Whether the log still has, or may yet get, the entry after this position. */
export async function isKept(
  { store }: LogSource,
  { position, changesRead }: FeedPosition,
): Promise<boolean> {
  const { first, last, lost } = await store.logExtent()
  if (isLost(position, lost)) return false
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

/** The change log with the turns of its readers. */
export interface FeedSource extends LogSource {
  readonly readInTurn: ReadInTurn
}

export interface ChangePageRequest {
  readonly viewer: Viewer
  readonly from: FeedPosition
  /** How many changes the page has at most. */
  readonly limit: number
  /** How many entries are read for it at most, visible or not, which bounds its cost. */
  readonly maxEntries: number
}

/** Characters of the items of a page after which it ends. */
const maxPageCharacters = 4_000_000

/**
 * The next changes after a position that the viewer sees, at most `limit`. Hidden entries are read
 * until the limit is reached or the log ends, so that a page does not show how many there are. Where
 * thousands of entries are hidden, the page is shorter; it ends after a random number of them, which
 * therefore cannot be counted in pages.
 */
export async function readChangePage(source: FeedSource, request: ChangePageRequest): Promise<ChangePage> {
  const found: PositionedChange[] = []
  let next = request.from
  let entriesLeft = randomInt(Math.ceil(request.maxEntries / 2), request.maxEntries)
  let charactersLeft = maxPageCharacters
  while (found.length < request.limit && entriesLeft > 0 && charactersLeft > 0) {
    const part = await source.readInTurn(() => readChangesOfPart(source, request.viewer, next))
    if (part === 'pruned') return resetPage(source)
    if (part === 'end') break
    found.push(...part.changes)
    entriesLeft -= part.entries
    charactersLeft -= countItemCharacters(part.changes)
    next = part.next
  }
  const end = found[request.limit - 1]
  const isCut = end !== undefined && found.length > request.limit
  return isCut ? { changes: found.slice(0, request.limit), next: end.after } : { changes: found, next }
}

/** The visible changes of the next part of the log, and the number of its entries. */
async function readChangesOfPart(source: FeedSource, viewer: Viewer, from: FeedPosition) {
  const { entries, isPruned } = await readLogPart(source, startOf(from) - 1)
  if (isPruned) return 'pruned'
  const last = entries.at(-1)
  if (!last) return 'end'
  const loaded = await loadEntries(source, entries, (table) => isFollowing(viewer, table))
  const changes = await findChanges(source, loaded, viewer, from)
  return { changes, entries: entries.length, next: { position: last.position, changesRead: 0 } }
}

function countItemCharacters(changes: readonly PositionedChange[]): number {
  return changes.reduce(
    (sum, { change }) => sum + ('item' in change ? countCharacters(change.item.row) : 0),
    0,
  )
}

/** A page for a reader whose position the log no longer has: it continues at the end of the log. */
export async function resetPage({ store }: LogSource): Promise<ChangePage> {
  const next = { position: (await store.lastPosition()) ?? 0, changesRead: 0 }
  return { changes: [{ change: { kind: 'reset' }, after: next }], next }
}
