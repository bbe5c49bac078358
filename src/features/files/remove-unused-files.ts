/**
 * Removes the content of files that no row, no entry of the change log and no kept version names. New
 * content, and content that a request copies, is left for a time, because its row may not be written yet.
 */

import { filesIn, findFileModel } from '../../definition/file-fields.ts'
import type { FieldModel, Model, ResourceModel } from '../../definition/model.ts'
import type { Observer } from '../../observation.ts'
import { repeatTask } from '../../operation/repeated-task.ts'
import type { Clock } from '../../requests/context/service-context.ts'
import type { ChangeLogEntry } from '../../store/change-log.ts'
import type { FileStore } from '../../store/file-store.ts'
import type { Row } from '../../store/row.ts'
import { readField } from '../../store/row-fields.ts'
import type { Store } from '../../store/store.ts'
import { allRows } from '../../store/table-rows.ts'
import type { BackgroundTask } from '../../work/background-task.ts'
import { uploadPartsName } from './uploads-resource.ts'

/** Milliseconds between runs. */
const runInterval = 3_600_000
/** Milliseconds that unnamed content is left. */
const grace = 3_600_000
/** Rows and entries of one read. */
const readLimit = 500
/** Milliseconds that the log is not read again for content that it names. */
const maxMemory = 86_400_000
/** Content that is removed in one run, which bounds its memory. */
const maxCandidates = 100_000

export interface FileCollection {
  readonly model: Model
  readonly store: Store
  readonly files: FileStore
  readonly clock: Clock
  /** Until when entries of the log name content, in milliseconds: it is no candidate before. Filled by each run. */
  readonly namedUntil?: Map<string, number>
}

/** Starts collecting. */
export function startFileCollection(collection: FileCollection, observe: Observer): BackgroundTask {
  const remembering = { namedUntil: new Map<string, number>(), ...collection }
  const run = async () => {
    await collection.store.withNamedLock('file-collection', 0, () => removeUnusedFiles(remembering))
  }
  return repeatTask({ name: 'file-collection', interval: runInterval, run }, observe)
}

/** Removes all content that was not in use within the grace period and that nothing names. */
export async function removeUnusedFiles(collection: FileCollection): Promise<number> {
  const { files, clock, namedUntil } = collection
  const before = clock.now() - grace
  await files.recover(before)
  for (const [digest, until] of namedUntil ?? []) if (until < clock.now()) namedUntil?.delete(digest)
  const candidates = new Set<string>()
  for await (const digest of files.unusedSince(before)) {
    if (!namedUntil?.has(digest)) candidates.add(digest)
    if (candidates.size === maxCandidates) break
  }
  await removeNamed(collection, candidates)
  for (const digest of candidates) {
    if (!(await files.setAside(digest, before))) candidates.delete(digest)
  }
  // A row that was written after the first reading may name some of them.
  const named = new Set(candidates)
  await removeNamed(collection, candidates)
  for (const digest of named.difference(candidates)) await files.restore(digest)
  for (const digest of candidates) await files.erase(digest)
  return candidates.size
}

/** Removes what rows, entries and versions name from the candidates. */
async function removeNamed(
  { model, store, clock, namedUntil }: FileCollection,
  candidates: Set<string>,
): Promise<void> {
  const holders = new Map(
    model.resources
      .values()
      .map((resource) => [resource.name, fileFieldsOf(resource)] as const)
      .filter(([, fields]) => fields.length > 0),
  )
  const remove = (table: string, row: Row | undefined, until?: number) => {
    const files = (holders.get(table) ?? []).flatMap((field) => filesIn(field, row?.[field.index]))
    for (const { digest } of files) {
      if (candidates.delete(digest) && until !== undefined) namedUntil?.set(digest, until)
    }
  }
  for (const table of holders.keys()) {
    for await (const row of rowsOf(store, table, candidates)) remove(table, row)
  }
  const parts = model.ownTables.get(uploadPartsName)
  if (parts) {
    for await (const row of rowsOf(store, parts.name, candidates)) {
      candidates.delete(String(readField(parts, row, 'digest')))
    }
  }
  for await (const { table, before, after, at } of entriesOf(store, holders.keys(), candidates)) {
    // Values may be erased from the log before they are pruned.
    const until = Math.min(Date.parse(at) + 1000 * keptSeconds(model, table), clock.now() + maxMemory)
    remove(table, before, until)
    remove(table, after, until)
  }
}

/** Seconds that entries of the table are kept. */
function keptSeconds({ logRetention, resources }: Model, table: string): number {
  return Math.max(logRetention, resources.get(table)?.history?.keep ?? 0)
}

export function fileFieldsOf({ fields }: ResourceModel): readonly FieldModel[] {
  return fields.filter(findFileModel)
}

/** All rows of a table, until no candidate is left. */
async function* rowsOf(store: Store, table: string, candidates: Set<string>): AsyncGenerator<Row> {
  for await (const row of allRows(store, { name: table })) {
    if (candidates.size === 0) return
    yield row
  }
}

/** All entries of the change log, and those that pruning kept for histories, until no candidate is left. */
async function* entriesOf(
  store: Store,
  tables: Iterable<string>,
  candidates: Set<string>,
): AsyncGenerator<ChangeLogEntry> {
  let position = 0
  while (candidates.size > 0) {
    const entries = await store.readChanges(position, readLimit)
    yield* entries
    const last = entries.at(-1)
    if (!last) break
    position = last.position
  }
  for (const table of tables) yield* keptEntriesOf(store, table, candidates)
}

async function* keptEntriesOf(
  store: Store,
  table: string,
  candidates: Set<string>,
): AsyncGenerator<ChangeLogEntry> {
  let after: { readonly identity: string; readonly version: number } | undefined
  while (candidates.size > 0) {
    const entries = await store.keptVersions({ table, after, limit: readLimit })
    yield* entries
    after = entries.at(-1)
    if (!after) return
  }
}
