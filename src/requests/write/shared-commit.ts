/**
 * Several changes of one row in one commit. Each request is performed on what the one before it will store, and gets its
 * response when all are durable. A request that is refused on what is not stored yet is performed again.
 */

import type { Attribution } from '../../store/change-log.ts'
import { CollectingStore } from '../../store/collecting-store.ts'
import type { Store } from '../../store/store.ts'
import { withCalls } from '../../store/with-calls.ts'
import type { Write, WriteOutcome, WrittenRow } from '../../store/write.ts'
import { LostRace } from './lost-race.ts'

/**
 * How an attempt ended: it settles its request, unless it lost a race for the row, or cannot share a commit and must be
 * performed alone.
 */
export type AttemptEnd = 'lost' | 'alone' | (() => void)

/** Thrown for writes that cannot share a commit. */
export class UnshareableWrite extends LostRace {}

interface Member {
  readonly end: Promise<AttemptEnd>
  /** Whether it was performed on the stored row, or has changes that depend on those before them. */
  isValid: boolean
}

interface Submission extends PromiseWithResolvers<WriteOutcome> {
  readonly writes: readonly Write[]
}

export class SharedCommit {
  readonly #store: Store
  readonly #row: WrittenRow
  readonly #collecting: CollectingStore
  readonly #members: Member[] = []
  readonly #submissions: Submission[] = []
  #isClosed = false

  constructor(store: Store, row: WrittenRow) {
    this.#store = store
    this.#row = row
    this.#collecting = new CollectingStore(store, (work) => work())
  }

  /** Performs an attempt up to its write, with a store that has the changes before it. The attempt never rejects. */
  async perform(attempt: (store: Store) => Promise<AttemptEnd>): Promise<void> {
    const submitted = Promise.withResolvers<void>()
    const write: Store['write'] = (writes, attribution) => {
      if (this.#isClosed) return this.#store.write(writes, attribution)
      member.isValid = true
      submitted.resolve()
      return this.#submit(writes, attribution)
    }
    const own = withCalls(this.#collecting.unrecorded, { find: this.#find, write })
    const member: Member = { isValid: this.#submissions.length === 0, end: attempt(own) }
    this.#members.push(member)
    await Promise.race([submitted.promise, member.end])
  }

  /** A lookup of the changed row needs no statement where no condition is evaluated. */
  readonly #find: Store['find'] = (query) => {
    const { table, identity } = this.#row
    const isRow = query.table === table && query.column === '_identity' && query.value === identity
    const values = isRow ? this.#collecting.unsaved(table, identity) : undefined
    return values
      ? this.#store.previewRow(table, values, query.evaluated)
      : this.#collecting.unrecorded.find(query)
  }

  /** Resolves when the writes are durable, or refused. Throws a LostRace, also for writes that cannot be shared. */
  async #submit(writes: readonly Write[], attribution: Attribution | undefined): Promise<WriteOutcome> {
    if (!writes.every((write) => this.#isShareable(write))) throw new UnshareableWrite(this.#row)
    const { table, identity } = this.#row
    const attributed = writes.map((write) => {
      if (write.kind !== 'update') return write
      this.#collecting.shadow(table, identity, write.values)
      return { ...write, attribution }
    })
    const submission = { writes: attributed, ...Promise.withResolvers<WriteOutcome>() }
    this.#submissions.push(submission)
    return submission.promise
  }

  #isShareable(write: Write): boolean {
    if (write.kind !== 'update') return write.kind === 'response' || write.kind === 'require'
    return write.table === this.#row.table && write.identity === this.#row.identity
  }

  /** Commits the changes. Returns how each attempt ended, in order. */
  async commit(): Promise<readonly AttemptEnd[]> {
    this.#isClosed = true
    await this.#commit()
    const ends: AttemptEnd[] = []
    for (const { end, isValid } of this.#members) ends.push(isValid ? await end : 'lost')
    return ends
  }

  /** Stores the changes before the first refused one. Those after it have lost a race. */
  async #commit(): Promise<void> {
    let count = this.#submissions.length
    let refused: { readonly at: number; readonly outcome: WriteOutcome } | undefined
    try {
      while (count > 0) {
        const outcome = await this.#store.write(this.#writesOf(count))
        if (outcome.kind === 'done') break
        const { at, index } = this.#placeOf(outcome.index)
        refused = { at, outcome: { ...outcome, index } }
        count = at
      }
    } catch (error) {
      for (const { reject } of this.#submissions) reject(error)
      return
    }
    for (const [at, { resolve, reject }] of this.#submissions.entries()) {
      if (at < count) resolve({ kind: 'done' })
      else if (at === refused?.at) resolve(refused.outcome)
      else reject(new LostRace(this.#row))
    }
  }

  #writesOf(count: number): readonly Write[] {
    return this.#submissions.slice(0, count).flatMap(({ writes }) => writes)
  }

  /** The submission that has the write with this index, and the index of the write in it. */
  #placeOf(index: number): { readonly at: number; readonly index: number } {
    let first = 0
    for (const [at, { writes }] of this.#submissions.entries()) {
      if (index < first + writes.length) return { at, index: index - first }
      first += writes.length
    }
    throw new Error(`The store refused write ${index} of ${first}`)
  }
}
