/**
 * Does work for each entry of the change log, at least once, and in order for each item. One node does
 * each work: it takes a lease of it, which another node takes over when it ends. Failed work is tried
 * again with growing delays, and is parked at last, so that it does not hold up its item for ever. See decision 0056.
 */

import { cursorsName, queueName } from '../definition/delivery-resources.ts'
import type { ResourceModel } from '../definition/model.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { Consumer, LogConsumerOptions } from './change-consumer.ts'
import { loadCursor, moveCursorWrite } from './log-cursor.ts'
import { idleInterval, PollLoop } from './poll-loop.ts'
import { enqueueWrite, type QueueContext } from './queued-work.ts'
import { WorkRunner } from './work-runner.ts'

/** In milliseconds. */
const pollInterval = 200
/** Entries that are read at a time. */
const maxPart = 100

export class LogConsumer {
  readonly #options: LogConsumerOptions
  readonly #consumer: Consumer
  readonly #cursors: ResourceModel
  readonly #context: QueueContext
  readonly #runner: WorkRunner
  readonly #loop: PollLoop
  /** Every entry up to this position was read, and made no work that is not queued. */
  #position = 0

  constructor(options: LogConsumerOptions, consumer: Consumer) {
    const { ownTables } = options.model
    const [cursors, queue] = [ownTables.get(cursorsName), ownTables.get(queueName)]
    if (!cursors || !queue) throw new Error('The definition has no tables for queued work')
    this.#options = options
    this.#consumer = consumer
    this.#cursors = cursors
    this.#context = { queue, consumer: consumer.name }
    const report = (error: unknown) => this.#report(error)
    this.#loop = new PollLoop({ step: () => this.#step(), report })
    const onEnd = () => this.wake()
    this.#runner = new WorkRunner({ ...options, context: this.#context, consumer, report, onEnd })
  }

  start(): void {
    this.#loop.start()
  }

  /** Looks for entries and due work now instead of at the next interval. */
  wake(): void {
    this.#loop.wake()
  }

  /** Queues the work of all entries so far, whether or not this consumer was started. */
  async queueAll(): Promise<void> {
    const start = await this.#consumer.findStart()
    if (start === undefined) return
    while (await this.#readLog(start));
  }

  /** Ends the attempts in progress; resolves when nothing is written any more. */
  async close(): Promise<void> {
    await this.#loop.close()
    await this.#runner.close()
  }

  /** Returns the milliseconds until there may be something to do. */
  async #step(): Promise<number> {
    const start = await this.#consumer.findStart()
    if (start === undefined) return idleInterval
    const hasRead = await this.#readLog(start)
    const hasBegun = await this.#runner.beginDue()
    return hasRead || hasBegun ? 0 : pollInterval
  }

  /** Queues the work of the next entries; whether there were any. */
  async #readLog(start: number): Promise<boolean> {
    const { store, now } = this.#options
    const cursors = this.#cursors
    const cursor = await loadCursor(store, cursors, this.#consumer.name)
    const from = Math.max(start, cursor.position, this.#position)
    const entries = await store.readChanges(from, maxPart)
    const last = entries.at(-1)
    if (!last) return false
    const work = await this.#consumer.selectWork(entries)
    if (work.length > 0) {
      const at = new Date(now()).toISOString()
      const move = moveCursorWrite(cursors, this.#consumer.name, cursor, { position: last.position, now: at })
      const inserts = work.map((one) => enqueueWrite(this.#context, one, at))
      const { kind } = await store.write([move, ...inserts])
      // Another node was faster. What it queued is in the table.
      if (kind === 'refused') return true
    }
    this.#position = Math.max(this.#position, last.position)
    return true
  }

  #report(error: unknown): void {
    const { observe } = this.#options
    if (this.#loop.isClosed) return
    if (error instanceof StoreUnavailable) {
      observe({ kind: 'store-unavailable', reason: error.reason, cause: error })
    } else observe({ kind: 'task-failed', task: this.#consumer.name, cause: error })
  }
}
