/**
 * Follows the end of the change log for all streams of this process: entries are read and loaded once,
 * whatever the number of streams. It runs while there are any. A write in this process wakes it; the
 * writes of other processes and nodes are found by asking the store at short intervals.
 */

import type { Observer } from '../../observation.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { WakeablePause } from '../../tools/wakeable-pause.ts'
import { readLogPart } from './change-reader.ts'
import { type LoadedEntry, type LogSource, loadEntries } from './loaded-entry.ts'

export interface LogSubscriber {
  isFollowing(table: string): boolean
  /** Gets the next entries, up to and including a position. Never rejects. */
  deliver(entries: readonly LoadedEntry[], position: number): Promise<void>
  /** The entries after its position were pruned. */
  reset(position: number): void
}

export interface FollowerOptions extends LogSource {
  readonly observe: Observer
  /** Milliseconds between two questions to the store. */
  readonly interval: number
}

export class LogFollower {
  readonly #options: FollowerOptions
  readonly #subscribers = new Set<LogSubscriber>()
  /** Every subscriber has, or is just getting, the entries up to this position. */
  #position = 0
  #running = false
  readonly #pause = new WakeablePause()

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  /** Adds a subscriber that has read up to a position; false where it must first read further by itself. */
  subscribe(subscriber: LogSubscriber, position: number): boolean {
    if (this.#running && position < this.#position) return false
    this.#subscribers.add(subscriber)
    if (!this.#running) {
      this.#position = position
      this.#running = true
      void this.#run()
    }
    return true
  }

  unsubscribe(subscriber: LogSubscriber): void {
    this.#subscribers.delete(subscriber)
    if (this.#subscribers.size === 0) this.#pause.wake()
  }

  /** Reads the log now instead of at the next interval. */
  wake(): void {
    this.#pause.wake()
  }

  async #run(): Promise<void> {
    while (this.#subscribers.size > 0) {
      const isEnd = await this.#retry(() => this.#deliverNext())
      if (isEnd !== false) await this.#pause.wait(this.#options.interval)
    }
    this.#running = false
  }

  /** True at the end of the log. */
  async #deliverNext(): Promise<boolean> {
    const { entries, isPruned } = await readLogPart(this.#options, this.#position)
    const last = entries.at(-1)
    if (!last) return true
    // A stream that joins from now on reads up to the new position by itself.
    this.#position = last.position
    const subscribers = [...this.#subscribers]
    if (isPruned) {
      for (const one of subscribers) one.reset(last.position)
      return false
    }
    const isWanted = (table: string) => subscribers.some((one) => one.isFollowing(table))
    const loaded = await this.#retry(() => loadEntries(this.#options, entries, isWanted))
    if (loaded) await Promise.all(subscribers.map((one) => one.deliver(loaded, last.position)))
    return false
  }

  /** Repeats what the store cannot do now; undefined where no subscriber is left. */
  async #retry<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    while (this.#subscribers.size > 0) {
      try {
        return await work()
      } catch (error) {
        this.#report(error)
        this.#pause.reset()
        await this.#pause.wait(this.#options.interval)
      }
    }
    return undefined
  }

  #report(error: unknown): void {
    const { observe } = this.#options
    if (error instanceof StoreUnavailable) {
      observe({ kind: 'store-unavailable', reason: error.reason, cause: error })
    } else observe({ kind: 'task-failed', task: 'log-follower', cause: error })
  }
}
