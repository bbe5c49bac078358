/**
 * A store that collects writes. A read sees the writes that were collected before it, and it may be recorded
 * among them, so that the commit can repeat it.
 */

import type { Stored } from '../definition/model.ts'
import type { Row } from './row.ts'
import { foundIn } from './sql/repeat-reads.ts'
import type { Store, UnsavedRows } from './store.ts'
import { withCalls } from './with-calls.ts'
import type { DeleteWrite, InsertWrite, ReadTableState, RepeatedRead, UpdateWrite, Write } from './write.ts'

export type CollectedWrite = InsertWrite | UpdateWrite | DeleteWrite

/** How many writes and reads one request may collect. */
export const maxCollected = 5000

/** A store whose aggregates are recorded only when `use` is called. */
export interface DeferredReads {
  readonly store: Store
  use(): void
}

type Reads = Pick<Store, 'find' | 'list' | 'count' | 'aggregate' | 'satisfies' | 'previewRow'>

export class CollectingStore {
  readonly #store: Store
  /** Undefined at the places of reads in progress, of failed ones and of those that are not used. */
  readonly #writes: (Write | undefined)[] = []
  readonly #unsaved = new Map<string, Map<string, readonly Stored[] | undefined>>()
  #writeCount = 0
  readonly #exclude: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** The store with the collected writes; its reads are not recorded. */
  readonly unrecorded: Store
  /** The store with the collected writes. Finds, lists, counts and aggregates are recorded. */
  readonly recorded: Store

  /** `exclude` runs each call of the store, whose time does not count. */
  constructor(store: Store, exclude: <Result>(work: () => Promise<Result>) => Promise<Result>) {
    this.#store = store
    this.#exclude = exclude
    const reads = this.#unrecordedReads()
    this.unrecorded = withCalls(store, reads)
    this.recorded = withCalls(store, { ...reads, ...this.#recordedReads() })
  }

  /** The collected writes, with the reads at their places among them. */
  get writes(): readonly Write[] {
    return this.#writes.filter((write) => write !== undefined)
  }

  /** How many writes were added. */
  get writeCount(): number {
    return this.#writeCount
  }

  /** Adds a write, which later reads see. */
  add(write: CollectedWrite): void {
    this.#writeCount += 1
    this.#push(write)
    if (write.kind === 'insert') this.shadow(write.table, String(write.values[0]), write.values)
    else this.shadow(write.table, write.identity, write.kind === 'update' ? write.values : undefined)
  }

  /** Adds a write that changes no row. */
  addCheck(write: Exclude<Write, CollectedWrite>): void {
    this.#push(write)
  }

  /** Shows later reads what a collected removal does to another row: its new values, or undefined. */
  shadow(table: string, identity: string, values: readonly Stored[] | undefined): void {
    const rows = this.#unsaved.get(table) ?? new Map()
    this.#unsaved.set(table, rows)
    rows.set(identity, values)
  }

  /** The values of a row that was written before; undefined where there are none. */
  unsaved(table: string, identity: string): readonly Stored[] | undefined {
    return this.#unsaved.get(table)?.get(identity)
  }

  /** For values that are loaded with an item, and that code may never look at. */
  deferReads(): DeferredReads {
    const uses: (() => void)[] = []
    const aggregate: Store['aggregate'] = async (query) => {
      const read: RepeatedRead = { kind: 'aggregate', query }
      const { rows, record } = await this.#read(read, () =>
        this.#store.aggregate({ ...query, unsaved: this.#seen() }),
      )
      uses.push(record)
      return rows
    }
    return {
      store: withCalls(this.#store, { ...this.#unrecordedReads(), aggregate }),
      use: () => {
        for (const record of uses.splice(0)) record()
      },
    }
  }

  #unrecordedReads(): Reads {
    const store = this.#store
    return {
      find: (query) => this.#call(() => store.find({ ...query, unsaved: this.#seen(query.unsaved) })),
      list: (query) => this.#call(() => store.list({ ...query, unsaved: this.#seen(query.unsaved) })),
      count: (table, condition, options) =>
        this.#call(() =>
          store.count(table, condition, { ...options, unsaved: this.#seen(options?.unsaved) }),
        ),
      aggregate: (query) =>
        this.#call(() => store.aggregate({ ...query, unsaved: this.#seen(query.unsaved) })),
      satisfies: (table, values, condition, later) =>
        this.#call(() => store.satisfies(table, values, condition, this.#seen(later))),
      previewRow: (table, values, conditions, later) =>
        this.#call(() => store.previewRow(table, values, conditions, this.#seen(later))),
    }
  }

  #recordedReads(): Omit<Reads, 'satisfies' | 'previewRow'> {
    const { find, list, count, aggregate } = this.#unrecordedReads()
    const record = async (read: RepeatedRead, rows: () => Promise<readonly Row[]>) => {
      const result = await this.#read(read, rows)
      result.record()
      return result.rows
    }
    return {
      find: async (query) => {
        const [row] = await record({ kind: 'find', query }, async () => {
          const found = await find(query)
          return found ? [found] : []
        })
        return row
      },
      list: (query) => record({ kind: 'list', query }, async () => list(query)),
      count: async (table, condition, options) => {
        const read = { kind: 'count', table, condition, atMost: options?.atMost } as const
        const [row] = await record(read, async () => [[await count(table, condition, options)]])
        return Number(row?.[0])
      },
      aggregate: (query) => record({ kind: 'aggregate', query }, async () => aggregate(query)),
    }
  }

  /** A read has its place when it begins: it sees no write that is added while it runs. */
  async #read(read: RepeatedRead, rowsOf: () => Row[] | Promise<readonly Row[]> | readonly Row[]) {
    const at = this.#push(undefined)
    const tableStates = await this.#call(() => this.#store.tableStatesOf(read))
    const rows = await rowsOf()
    return { rows, record: () => this.#record(at, read, { rows, tableStates }) }
  }

  async #call<Result>(read: () => Result | Promise<Result>): Promise<Result> {
    return this.#exclude(async () => read())
  }

  /**
   * The rows that a read sees: the collected ones, and later ones of a reader that collects writes itself.
   * Undefined while there is none, so that the statements of plain reads stay the same.
   */
  #seen(later?: UnsavedRows): UnsavedRows | undefined {
    if (this.#unsaved.size === 0) return later
    return later ? mergeUnsaved(this.#unsaved, later) : this.#unsaved
  }

  #record(
    at: number,
    read: RepeatedRead,
    {
      rows,
      tableStates,
    }: { readonly rows: readonly Row[]; readonly tableStates: readonly ReadTableState[] | undefined },
  ): void {
    this.#writes[at] = { kind: 'repeat', read, found: foundIn(read, rows), tableStates }
  }

  #push(write: Write | undefined): number {
    if (this.#writes.length >= maxCollected) {
      throw new Error(`Logic reads and writes at most ${maxCollected} times in one request.`)
    }
    return this.#writes.push(write) - 1
  }
}

function mergeUnsaved(earlier: UnsavedRows, later: UnsavedRows): UnsavedRows {
  const merged = new Map(earlier)
  for (const [table, rows] of later) merged.set(table, new Map([...(earlier.get(table) ?? []), ...rows]))
  return merged
}
