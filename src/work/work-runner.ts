/** Makes the attempts of queued work whose time has come, each under a lease. */

import type { Attribution } from '../store/change-log.ts'
import { deleteRow } from '../store/row-fields.ts'
import type { Store } from '../store/store.ts'
import type { Write } from '../store/write.ts'
import type { Tracer } from '../tracer.ts'
import { AttemptPlaces, inTurns, type WorkShare } from './attempt-places.ts'
import type { Attempt, AttemptOutcome, Consumer } from './change-consumer.ts'
import {
  changeWrite,
  findHead,
  findWork,
  listDue,
  type QueueContext,
  type QueuedWork,
} from './queued-work.ts'
import { retryDelay } from './retry-delay.ts'

export interface WorkRunnerOptions {
  readonly store: Store
  readonly context: QueueContext
  readonly consumer: Pick<Consumer, 'name' | 'prepareAttempt' | 'loadShares'>
  /** The subscribers whose work is done; all by default. */
  readonly only?: readonly string[]
  readonly now: () => number
  readonly tracer?: Tracer | undefined
  report(error: unknown): void
  /** Called when an attempt has ended, so that there may be more to do. */
  onEnd(): void
}

/** In milliseconds. A node that does not renew its lease for so long counts as gone. */
const leaseTime = 6000
const renewInterval = 2000
/** Due works that are looked at together. */
const maxDue = 50

export class WorkRunner {
  readonly #options: WorkRunnerOptions
  readonly #context: QueueContext
  /** For the writes of the consumer to tables that are logged. */
  readonly #attribution: Attribution
  readonly #ending = new AbortController()
  readonly #places = new AttemptPlaces()
  /** The ends of the attempts in progress. */
  readonly #running = new Set<Promise<void>>()

  constructor(options: WorkRunnerOptions) {
    this.#options = options
    this.#context = options.context
    this.#attribution = { actor: { name: options.consumer.name } }
  }

  /** Ends the attempts in progress; resolves when nothing is written any more. */
  async close(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#running)
  }

  /** Resolves when the attempts in progress have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Begins the attempts of due work; whether there was any to begin. */
  async beginDue(): Promise<boolean> {
    const { store, now, only, consumer } = this.#options
    if (this.#places.areFull) return false
    const shares = (await consumer.loadShares?.()) ?? new Map()
    const except = this.#places.fullSubscribers(shares)
    const query = { now: timestampOf(now()), except, only, limit: maxDue }
    const due = inTurns(await listDue(store, this.#context, query), shares)
    let begun = false
    for (const [lane, works] of Map.groupBy(due, (work) => work.lane)) {
      const head = await findHead(store, this.#context, lane)
      if (!head) continue
      // First, because the end of the attempt makes the next work due.
      await this.#moveBehind(head, works)
      // Another node may have begun it since the list was read.
      const isDue = Date.parse(head.dueAt) <= now()
      if (isDue && (await this.#begin(head, shares.get(head.subscriber)))) begun = true
    }
    return begun
  }

  /** Makes the others of the lane wait for the head, so that they do not hide other due work. */
  async #moveBehind(head: QueuedWork, works: readonly QueuedWork[]): Promise<void> {
    const { store, now } = this.#options
    const behind = works.filter(({ identity }) => identity !== head.identity)
    if (behind.length === 0) return
    const at = now()
    const until = Math.max(Date.parse(head.dueAt), at + leaseTime)
    const writes = behind.map((work) =>
      changeWrite(this.#context, work, timestampOf(at), { dueAt: timestampOf(until) }),
    )
    // Refused where another node has done it.
    await store.write(writes)
  }

  /** Takes the lease of the work and begins an attempt; false where another node has it. */
  async #begin(work: QueuedWork, share: WorkShare | undefined): Promise<boolean> {
    const { store, now } = this.#options
    if (!this.#places.hasPlaceFor(work, share)) return false
    const attempt = await this.#options.consumer.prepareAttempt(work)
    const lease = { attempts: work.attempts + 1, dueAt: timestampOf(now() + leaseTime) }
    const claim = changeWrite(this.#context, work, timestampOf(now()), lease)
    const { kind } = await store.write([claim, ...attempt.writes], this.#attribution)
    if (kind === 'refused') return false
    this.#places.enter(work, share)
    const end = this.#perform(work, attempt, share).finally(() => {
      this.#places.leave(work)
      this.#running.delete(end)
      this.#options.onEnd()
    })
    this.#running.add(end)
    return true
  }

  async #perform(work: QueuedWork, attempt: Attempt, share: WorkShare | undefined): Promise<void> {
    const lost = new AbortController()
    const renewal = setInterval(() => void this.#renew(work, lost), renewInterval)
    try {
      const outcome = await this.#run(attempt, lost.signal)
      clearInterval(renewal)
      const { hasResponded } = outcome
      if (share && hasResponded !== undefined) this.#places.noteResponse(share, hasResponded)
      await this.#settle(work, outcome)
    } catch (error) {
      // The work is due again when the lease ends.
      this.#options.report(error)
    } finally {
      clearInterval(renewal)
    }
  }

  #run(attempt: Attempt, lost: AbortSignal): Promise<AttemptOutcome> {
    const run = () => attempt.run(this.#ending.signal, lost)
    const { tracer } = this.#options
    if (!tracer || !attempt.span) return run()
    return tracer.traceWork(attempt.span, async (span) => {
      const outcome = await run()
      span.describe({ isError: outcome.kind !== 'ended' })
      return outcome
    })
  }

  async #renew(work: QueuedWork, lost: AbortController): Promise<void> {
    try {
      const isOwn = await this.#change(work, async (present, now) => {
        const dueAt = timestampOf(this.#options.now() + leaseTime)
        return [changeWrite(this.#context, present, now, { dueAt })]
      })
      if (!isOwn) lost.abort()
    } catch (error) {
      this.#options.report(error)
    }
  }

  /** Records the outcome of the attempt together with what follows from it. */
  async #settle(work: QueuedWork, outcome: AttemptOutcome): Promise<void> {
    if (outcome.kind === 'ended') {
      await this.#change(work, async (present, at) => [
        outcome.again
          ? changeWrite(this.#context, present, at, outcome.again)
          : deleteRow(this.#context.queue, present.row, at),
        ...(await this.#releaseNext(work, at)),
        ...(await outcome.record(undefined)),
      ])
      return
    }
    const nextAt = outcome.kind === 'failed' ? this.#nextAttempt(work, outcome) : undefined
    await this.#change(work, async (present, at) => [
      changeWrite(this.#context, present, at, nextAt ? { dueAt: nextAt } : { status: 'parked' }),
      ...(nextAt ? [] : await this.#releaseNext(work, at)),
      ...(await outcome.record(nextAt)),
    ])
  }

  /** When the next attempt follows; undefined after the last one. */
  #nextAttempt({ attempts }: QueuedWork, { askedDelay }: AttemptOutcome): string | undefined {
    const delay = retryDelay({ attempts: attempts + 1, askedDelay, random: Math.random() })
    return delay === undefined ? undefined : timestampOf(this.#options.now() + delay)
  }

  /**
   * Makes the next work of the lane due. It is part of the write that ends the first one, because no
   * node can have begun it before.
   */
  async #releaseNext({ lane, position }: QueuedWork, at: string): Promise<readonly Write[]> {
    const next = await findHead(this.#options.store, this.#context, lane, position)
    return next ? [changeWrite(this.#context, next, at, { dueAt: at })] : []
  }

  /**
   * Applies writes that change the present row of the work, again where another write was faster. False where
   * the row was removed, or another node has begun the work after the lease of this one.
   */
  async #change(
    { identity, attempts }: QueuedWork,
    writesFor: (present: QueuedWork, now: string) => Promise<readonly Write[]>,
  ): Promise<boolean> {
    const { store, now } = this.#options
    for (let tries = 0; tries < 5; tries++) {
      const present = await findWork(store, this.#context, identity)
      if (present?.attempts !== attempts + 1) return false
      const { kind } = await store.write(await writesFor(present, timestampOf(now())), this.#attribution)
      if (kind === 'done') return true
    }
    return true
  }
}

function timestampOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
