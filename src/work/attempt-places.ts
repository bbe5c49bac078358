/**
 * The places for attempts at a time: so many in all, fewer for one subscriber. An owner of several subscribers has at most
 * as many as are free, so that the next owner always finds one. A host that does not respond gets one attempt at a time.
 */

import type { QueuedWork } from './queued-work.ts'

/** Whose work it is, and which host it needs. */
export interface WorkShare {
  readonly owner: string
  readonly host: string
}

/** By subscriber. */
export type WorkShares = ReadonlyMap<string, WorkShare>

const maxRunning = 32
/** A subscriber may be slow. */
const maxRunningForSubscriber = 4
/** More begin anew, so that memory is bounded. */
const maxSilentHosts = 10_000

export class AttemptPlaces {
  readonly #running = new Map<
    string,
    Pick<QueuedWork, 'subscriber'> & { readonly share: WorkShare | undefined }
  >()
  /** The hosts of owners whose last attempt had no response. */
  readonly #silent = new Set<string>()

  get areFull(): boolean {
    return this.#running.size >= maxRunning
  }

  enter({ identity, subscriber }: QueuedWork, share: WorkShare | undefined): void {
    this.#running.set(identity, { subscriber, share })
  }

  leave({ identity }: QueuedWork): void {
    this.#running.delete(identity)
  }

  /** Notes whether the host has responded. */
  noteResponse(share: WorkShare, hasResponded: boolean): void {
    if (hasResponded) this.#silent.delete(keyOf(share))
    else {
      if (this.#silent.size >= maxSilentHosts) this.#silent.clear()
      this.#silent.add(keyOf(share))
    }
  }

  hasPlaceFor({ identity, subscriber }: QueuedWork, share: WorkShare | undefined): boolean {
    return !this.areFull && !this.#running.has(identity) && this.#mayBegin(subscriber, share)
  }

  /** The subscribers whose work cannot begin now. */
  fullSubscribers(shares: WorkShares): readonly string[] {
    if (this.#running.size === 0) return []
    const running = [...this.#running.values()].map(({ subscriber }) => subscriber)
    const known = new Set([...running, ...shares.keys()])
    return [...known].filter((subscriber) => !this.#mayBegin(subscriber, shares.get(subscriber)))
  }

  #mayBegin(subscriber: string, share: WorkShare | undefined): boolean {
    const running = [...this.#running.values()]
    if (running.filter((one) => one.subscriber === subscriber).length >= maxRunningForSubscriber) return false
    if (!share) return true
    const own = running.filter((one) => one.share?.owner === share.owner)
    if (own.length >= maxRunning - running.length) return false
    return !this.#silent.has(keyOf(share)) || own.every((one) => one.share?.host !== share.host)
  }
}

/** One owner cannot slow down a host for others. */
function keyOf({ owner, host }: WorkShare): string {
  return `${owner} ${host}`
}

/** The works, in turns of their owners. */
export function inTurns(works: readonly QueuedWork[], shares: WorkShares): readonly QueuedWork[] {
  const ownerOf = ({ subscriber }: QueuedWork) => shares.get(subscriber)?.owner ?? subscriber
  const groups = [...Map.groupBy(works, ownerOf).values()]
  const turns = Math.max(0, ...groups.map((group) => group.length))
  return Array.from({ length: turns }, (_, turn) => groups.flatMap((group) => group[turn] ?? [])).flat()
}
