/**
 * One stream of events. It reads the log by itself until it has caught up, as fast as its client
 * reads, and then gets new entries from the follower. A client that does not read what arrives is
 * disconnected, and resumes from the id of the last event that it got.
 */

import { randomInt } from 'node:crypto'
import type { Rights } from '../../access/rights.ts'
import { formatServerSentEvent } from '../../formats/server-sent-events.ts'
import { LiveBody } from '../../http/live-body.ts'
import type { Observer } from '../../observation.ts'
import { type FeedSource, findChanges, isKept, readLogPart, startOf } from './change-reader.ts'
import { type LoadedEntry, loadEntries } from './loaded-entry.ts'
import type { LogFollower, LogSubscriber } from './log-follower.ts'
import type { FeedPosition } from './position-token.ts'
import { isFollowing, type Viewer } from './viewer.ts'
import type { VisibleChange } from './visible-change.ts'

/** Characters that may wait for a client of a stream that has caught up. */
const maxWaiting = 1024 * 1024
/** Milliseconds that a client waits before it connects again: random, so that not all come at once. */
const retryRange = [1000, 4000] as const
/** Milliseconds without an event after which the position is sent. */
const heartbeatInterval = 15_000

export interface StreamContext extends FeedSource {
  readonly follower: LogFollower
  formatPosition(position: FeedPosition, rights: readonly Rights[]): string
  formatData(change: VisibleChange): string
  now(): number
  readonly observe: Observer
}

export class EventStream implements LogSubscriber {
  readonly body: LiveBody
  readonly viewer: Viewer
  readonly #context: StreamContext
  #position: FeedPosition
  #sentAt = 0

  constructor(context: StreamContext, viewer: Viewer, from: FeedPosition, onEnd: () => void) {
    this.#context = context
    this.viewer = viewer
    this.#position = from
    this.body = new LiveBody(() => {
      context.follower.unsubscribe(this)
      onEnd()
    })
  }

  /** Sends the first position at once and events as they arise. Never rejects. */
  async start(): Promise<void> {
    this.#send({ retry: randomInt(...retryRange) })
    try {
      if (!(await isKept(this.#context, this.#position))) await this.#resetToEnd()
      while (!this.body.isEnded && !this.#join()) await this.#readFurther()
    } catch (error) {
      this.#fail(error)
    }
  }

  isFollowing(table: string): boolean {
    return isFollowing(this.viewer, table)
  }

  async deliver(entries: readonly LoadedEntry[], position: number): Promise<void> {
    try {
      await this.#sendChanges(entries, position)
    } catch (error) {
      this.#fail(error)
    }
    if (this.body.length > maxWaiting) this.body.discard()
  }

  reset(position: number): void {
    this.#position = { position, changesRead: 0 }
    this.#sendReset()
  }

  /** Sends the position where nothing was sent for a while. */
  sendHeartbeat(): void {
    if (this.#context.now() - this.#sentAt >= heartbeatInterval) this.#send({})
  }

  /** Ends the stream; the client resumes. */
  #fail(cause: unknown): void {
    this.#context.observe({ kind: 'task-failed', task: 'event-stream', cause })
    this.body.end()
  }

  #join(): boolean {
    return this.#position.changesRead === 0 && this.#context.follower.subscribe(this, this.#position.position)
  }

  async #readFurther(): Promise<void> {
    await this.#context.readInTurn(() => this.#readPart())
    await this.body.drained()
  }

  async #readPart(): Promise<void> {
    const { entries, isPruned } = await readLogPart(this.#context, startOf(this.#position) - 1)
    if (isPruned) return this.#resetToEnd()
    const last = entries.at(-1)
    if (!last) return this.#finishReading()
    const isWanted = (table: string) => this.isFollowing(table)
    await this.#sendChanges(await loadEntries(this.#context, entries, isWanted), last.position)
  }

  /** The log ends here: what the follower is ahead by was pruned. */
  async #finishReading(): Promise<void> {
    if (!(await isKept(this.#context, this.#position))) return this.#resetToEnd()
    this.#position = { position: this.#position.position, changesRead: 0 }
  }

  async #resetToEnd(): Promise<void> {
    this.reset((await this.#context.store.lastPosition()) ?? 0)
  }

  async #sendChanges(entries: readonly LoadedEntry[], position: number): Promise<void> {
    const changes = await findChanges(this.#context, entries, this.viewer, this.#position)
    for (const { change, after } of changes) {
      this.#position = after
      if (change.kind === 'reset') this.#sendReset()
      else this.#send({ event: change.kind, data: this.#context.formatData(change) })
    }
    if (position >= startOf(this.#position)) this.#position = { position, changesRead: 0 }
  }

  #sendReset(): void {
    this.#send({ event: 'reset', data: this.#context.formatData({ kind: 'reset' }) })
  }

  #send(event: { readonly event?: string; readonly data?: string; readonly retry?: number }): void {
    this.#sentAt = this.#context.now()
    const id = this.#context.formatPosition(this.#position, this.viewer.rights)
    this.body.push(formatServerSentEvent({ id, ...event }))
  }
}
