/**
 * How many octets of files each account has stored. They are counted from all rows once, and from the change log
 * afterwards, so that every way of writing counts.
 */

import { filesIn, findFileModel } from '../../definition/file-fields.ts'
import { type FieldModel, IDENTITY, type Model } from '../../definition/model.ts'
import type { Clock } from '../../requests/context/service-context.ts'
import type { ChangeLogEntry } from '../../store/change-log.ts'
import { type Row, versionOf } from '../../store/row.ts'
import type { Store } from '../../store/store.ts'
import { allRows } from '../../store/table-rows.ts'
import type { Write } from '../../store/write.ts'
import { memoizeByObject } from '../../tools/memoize.ts'

/** Octets by the identity of the account. */
export type OctetsByAccount = ReadonlyMap<string, number>

export interface FileUse {
  /** Includes every write of this process, and every other one that the log has. */
  read(): Promise<OctetsByAccount>
  /** Counts writes that are committed, until the log has them. */
  addCommitted(writes: readonly Write[]): void
}

export interface FileUseContext {
  readonly model: Model
  readonly store: Store
  readonly clock: Clock
}

/** Rows and entries of one read. */
const readLimit = 500
/** Milliseconds without a read after which entries may have been pruned: the log is kept for an hour at least. */
const maxPause = 1_800_000
/** Milliseconds after which the log has every change of the rows that were counted. */
const settledAfter = 600_000

export function createFileUse(context: FileUseContext): FileUse {
  const { model, store, clock } = context
  const committed = new Map<string, OctetsByAccount>()
  let count: CountedOctets | undefined
  let reading: Promise<unknown> = Promise.resolve()
  return {
    read() {
      const result = reading.then(update)
      reading = result.catch(() => undefined)
      return result
    },
    addCommitted(writes) {
      for (const write of writes) {
        const change = octetsOfWrite(model, write)
        if (change.size > 0 && 'values' in write) committed.set(entryKey(write.table, write.values), change)
      }
    },
  }

  async function update(): Promise<OctetsByAccount> {
    const now = clock.now()
    if (!count || now - count.readAt > maxPause) count = await countRows(context)
    if (now - count.countedAt > settledAfter) count.versions = undefined
    count.readAt = now
    if (!(await readLog(count))) {
      count = undefined
      return update()
    }
    const sum = new Map(count.octets)
    for (const change of committed.values()) addTo(sum, change)
    return sum
  }

  /** False where an entry lacks its values, which `restwell erase` removes: then the rows must be counted again. */
  async function readLog(current: CountedOctets): Promise<boolean> {
    for (;;) {
      const entries = await store.readChanges(current.position, readLimit)
      const last = entries.at(-1)
      if (!last) return true
      for (const entry of entries) {
        if (!addEntry(model, current, entry)) return false
        committed.delete(`${entry.table} ${entry.identity} ${entry.version}`)
      }
      current.position = last.position
    }
  }
}

/** The octets that the writes add for each account; negative where they remove files. */
export function octetsOfWrites(model: Model, writes: readonly Write[]): OctetsByAccount {
  const sum = new Map<string, number>()
  for (const write of writes) addTo(sum, octetsOfWrite(model, write))
  return sum
}

/** A deletion does not have the row; the log has it. */
function octetsOfWrite(model: Model, write: Write): OctetsByAccount {
  if (write.kind !== 'insert' && write.kind !== 'update') return new Map()
  const previous = write.kind === 'update' ? write.previous : undefined
  return difference(fileFields(model).get(write.table) ?? [], previous, write.values)
}

/** The fields for files, by table. */
const fileFields = memoizeByObject(({ resources }: Model): ReadonlyMap<string, readonly FieldModel[]> => {
  const tables = [...resources.values()].map(
    ({ name, fields }) => [name, fields.filter(findFileModel)] as const,
  )
  return new Map(tables.filter(([, fields]) => fields.length > 0))
})

function difference(fields: readonly FieldModel[], before: Row | undefined, after: Row | undefined) {
  const sum = new Map<string, number>()
  const add = (row: Row | undefined, sign: 1 | -1) => {
    const files = fields.flatMap((field) => filesIn(field, row?.[field.index]))
    for (const { by, size } of files) if (by !== undefined) sum.set(by, (sum.get(by) ?? 0) + sign * size)
  }
  add(before, -1)
  add(after, 1)
  return sum
}

function addTo(sum: Map<string, number>, change: OctetsByAccount): void {
  for (const [account, octets] of change) sum.set(account, (sum.get(account) ?? 0) + octets)
}

interface CountedOctets {
  readonly octets: Map<string, number>
  readonly countedAt: number
  readAt: number
  /** Up to where the log is counted. */
  position: number
  /** The versions of the rows that were counted, because the log may have their changes later. */
  versions: Map<string, number> | undefined
}

async function countRows({ model, store, clock }: FileUseContext): Promise<CountedOctets> {
  const now = clock.now()
  const position = (await store.lastPosition()) ?? 0
  const octets = new Map<string, number>()
  const versions = new Map<string, number>()
  for (const [table, fields] of fileFields(model)) {
    for await (const row of allRows(store, { name: table })) {
      addTo(octets, difference(fields, undefined, row))
      versions.set(`${table} ${row[IDENTITY]}`, versionOf(row))
    }
  }
  return { octets, countedAt: now, readAt: now, position, versions }
}

/** Adds what the entry changed, if the counted row did not have it yet. False where it lacks its values. */
function addEntry(model: Model, { octets, versions }: CountedOctets, entry: ChangeLogEntry): boolean {
  const { table, kind, identity, version, before, after } = entry
  const fields = fileFields(model).get(table)
  if (!fields || kind === 'event') return true
  if (versions) {
    const key = `${table} ${identity}`
    const counted = versions.get(key)
    // It was deleted before it was counted, or counted with this change.
    if (counted === undefined ? kind !== 'created' : kind !== 'deleted' && version <= counted) return true
    if (kind === 'deleted') versions.delete(key)
    else versions.set(key, version)
  }
  if ((kind !== 'created' && !before) || (kind !== 'deleted' && !after)) return false
  addTo(octets, difference(fields, before, after))
  return true
}

/** Identifies the entry that the log gets for the values. */
function entryKey(table: string, values: Row): string {
  return `${table} ${values[IDENTITY]} ${versionOf(values)}`
}
