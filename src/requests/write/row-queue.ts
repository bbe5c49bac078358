/**
 * The queues of rows that several requests change at once. A request that lost a race for a row waits for its turn, in
 * order of arrival, so that each of them is repeated once and not against all others. See decision 0109.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { unavailable } from '../../refusal.ts'
import type { Store } from '../../store/store.ts'
import type { Write, WrittenRow } from '../../store/write.ts'
import { memoizeByObject } from '../../tools/memoize.ts'
import { createYield } from '../../tools/time-slices.ts'
import { LostRace, rowOf, tooManyRaces } from './lost-race.ts'
import { type AttemptEnd, SharedCommit, UnshareableWrite } from './shared-commit.ts'

/** Milliseconds of a request with all its attempts. */
export const requestTime = 30_000
/** How many changes share a commit. */
const maxShared = 64
/** How many attempts fail without a row to wait for. */
const maxAttempts = 100

/** The turn of a request: nothing else in this process changes the row. */
export interface Turn {
  /** The store to use; undefined: the usual one of the request. */
  readonly store: Store | undefined
}

/**
 * How a request is performed in its turn: alone; alone under a lock on the row, where the store has such locks and no code
 * of the definition runs; or in one commit with those after it.
 */
export type TurnMode = 'alone' | 'locked' | 'shared'

export interface QueuedRequest<Result> {
  mode(): TurnMode
  /** Performs it, in its turn or before. Throws a LostRace. */
  attempt(turn?: Turn): Promise<Result>
  /** Whether the client expects no response any more. */
  isAbandoned?(): boolean
}

/**
 * Performs the request until it loses no race. Refuses 503 after its time, and where the client gave up while it
 * waited.
 */
export async function performInTurn<Result>(store: Store, request: QueuedRequest<Result>): Promise<Result> {
  const until = performance.now() + requestTime
  const rows = new Map<string, WrittenRow>()
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await (rows.size === 0
        ? request.attempt()
        : waitForRows(queuesOf(store), inOrder(rows), request, until))
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
      if (error.row) rows.set(keyOf(error.row), error.row)
      if (attempts >= maxAttempts) throw tooManyRaces()
    }
  }
}

/** Requests that wait for several rows wait in the same order, so that none waits for another in a circle. */
function inOrder(rows: ReadonlyMap<string, WrittenRow>): readonly WrittenRow[] {
  return [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

function waitForRows<Result>(
  queues: RowQueues,
  [row, ...rest]: readonly WrittenRow[],
  request: QueuedRequest<Result>,
  until: number,
): Promise<Result> {
  if (row === undefined) return request.attempt({ store: undefined })
  if (rest.length === 0) return queues.wait(row, request, until)
  const alone: QueuedRequest<Result> = { ...request, mode: () => 'alone' }
  return queues.wait(row, { ...alone, attempt: () => waitForRows(queues, rest, alone, until) }, until)
}

/** Throws a LostRace where requests wait for a row of the writes: a new request must not overtake them. */
export function giveWay(store: Store, writes: readonly Write[]): void {
  queuesOf(store).giveWay(writes)
}

const queuesOf = memoizeByObject((store: Store) => new RowQueues(store))

class RowQueues {
  readonly #store: Store
  /** The queues that have requests. */
  readonly #queues = new Map<string, RowQueue>()

  constructor(store: Store) {
    this.#store = store
  }

  giveWay(writes: readonly Write[]): void {
    if (this.#queues.size === 0) return
    for (const write of writes) {
      const row = rowOf(write)
      if (row && this.#queues.has(keyOf(row))) throw new LostRace(row)
    }
  }

  wait<Result>(row: WrittenRow, request: QueuedRequest<Result>, until: number): Promise<Result> {
    const key = keyOf(row)
    const present = this.#queues.get(key)
    if (present) return present.add(request, until)
    const queue = new RowQueue(this.#store, row)
    this.#queues.set(key, queue)
    const result = queue.add(request, until)
    void queue.serve(() => this.#queues.delete(key))
    return result
  }
}

function keyOf({ table, identity }: WrittenRow): string {
  return `${table}/${identity}`
}

/** A request in a queue. */
interface Waiting {
  mode: TurnMode
  readonly isAbandoned: () => boolean
  readonly until: number
  attempt(turn: Turn): Promise<AttemptEnd>
  reject(error: unknown): void
}

class RowQueue {
  readonly #store: Store
  readonly #row: WrittenRow
  readonly #waiting: Waiting[] = []
  /** Whether others than the requests of this queue change the row. */
  #isContended = false

  constructor(store: Store, row: WrittenRow) {
    this.#store = store
    this.#row = row
  }

  add<Result>(request: QueuedRequest<Result>, until: number): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    // Spans of the attempt belong to the trace of its own request.
    const inOwnContext = AsyncLocalStorage.snapshot()
    const attempt = async (turn: Turn): Promise<AttemptEnd> => {
      try {
        const value = await inOwnContext(() => request.attempt(turn))
        return () => resolve(value)
      } catch (error) {
        return this.#endOf(error) ?? (() => reject(error))
      }
    }
    const isAbandoned = () => request.isAbandoned?.() === true
    const waiting = { mode: request.mode(), until, attempt, reject, isAbandoned }
    this.#waiting.push(waiting)
    const timer = setTimeout(() => this.#leave(waiting), until - performance.now())
    return promise.finally(() => clearTimeout(timer))
  }

  #leave(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting)
    if (at === -1) return
    this.#waiting.splice(at, 1)
    waiting.reject(tooManyRaces())
  }

  /** Undefined for an error that ends the request. */
  #endOf(error: unknown): 'lost' | 'alone' | undefined {
    if (error instanceof UnshareableWrite) return 'alone'
    const isOwn = error instanceof LostRace && error.row && keyOf(error.row) === keyOf(this.#row)
    return isOwn ? 'lost' : undefined
  }

  /** Serves all requests, in order. Never rejects. Calls `ended` when none is left. */
  async serve(ended: () => void): Promise<void> {
    for (let first = this.#take(); first; first = this.#take()) await this.#serveTogether(first)
    ended()
  }

  /** Serves the request, and those after it that can share its commit. */
  async #serveTogether(first: Waiting): Promise<void> {
    const served = [first]
    try {
      await this.#withLock(first, async (locked) => {
        const ends =
          first.mode === 'shared'
            ? await this.#shareCommit(served, locked ?? this.#store)
            : [await first.attempt({ store: locked })]
        if (ends[0] === 'lost') this.#isContended = true
        this.#settle(served, ends)
      })
    } catch (error) {
      for (const { reject } of served) reject(error)
    }
  }

  #withLock(first: Waiting, work: (store: Store | undefined) => Promise<void>): Promise<void> {
    const locks = this.#isContended && first.mode !== 'alone'
    return (locks ? this.#store.lockRow?.(this.#row, work) : undefined) ?? work(undefined)
  }

  /** Performs the first request and those after it; returns how each attempt ended. */
  async #shareCommit(served: Waiting[], store: Store): Promise<readonly AttemptEnd[]> {
    const pause = createYield()
    const shared = new SharedCommit(store, this.#row)
    for (let next: Waiting | undefined = served[0]; next; next = this.#takeShared(served)) {
      const { attempt } = next
      await shared.perform((own) => attempt({ store: own }))
      await pause()
    }
    return shared.commit()
  }

  /** The next request, where it can share the commit. */
  #takeShared(served: Waiting[]): Waiting | undefined {
    const next = served.length < maxShared ? this.#take() : undefined
    if (next?.mode === 'shared') {
      served.push(next)
      return next
    }
    if (next) this.#waiting.unshift(next)
    return undefined
  }

  /** Those that have not ended are the next ones again. */
  #settle(served: readonly Waiting[], ends: readonly AttemptEnd[]): void {
    const lost = served.filter((waiting, at) => {
      const end = ends[at]
      if (end === 'alone') waiting.mode = 'locked'
      if (typeof end !== 'function') return true
      end()
      return false
    })
    const now = performance.now()
    for (const { until, reject } of lost) if (now >= until) reject(tooManyRaces())
    this.#waiting.unshift(...lost.filter(({ until }) => now < until))
  }

  /** The first request whose client still waits. */
  #take(): Waiting | undefined {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (!next.isAbandoned()) return next
      next.reject(unavailable('The client has closed the connection.'))
    }
    return undefined
  }
}
